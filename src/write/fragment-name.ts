/**
 * Name of a fragment's folder: `__<t1>_<t2>_<uuid>_<version>` since version 5, without the version in 3 and 4. Earlier
 * `__<uuid>_<t>`, or `__<uuid>_<last>_<first>` if the two timestamps differ.
 *
 * @see format_spec/timestamped_name.md; tiledb/storage_format/uri/generate_uri.cc
 */
export function fragmentName(formatVersion: number, [first, last]: readonly [bigint, bigint], uuid: string): string {
  if (formatVersion < 3) return first === last ? `__${uuid}_${first}` : `__${uuid}_${last}_${first}`
  const name = `__${first}_${last}_${uuid}`
  return formatVersion < 5 ? name : `${name}_${formatVersion}`
}
