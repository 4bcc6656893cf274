import { InspectError, withHint } from '../base/errors.ts'
import { type Enumeration, enumerationFile, enumerationValueNum } from '../format/enumeration.ts'
import type { Describe } from '../format/io.ts'
import type { ReadContext } from './generic-tile.ts'

/**
 * {@link enumerationFile} for readers that will cut the data into values. Few bytes may hold many: each empty one has an offset.
 * @throws InspectError TOO_LARGE if memory has no room for so many values
 */
export function boundedEnumeration({ memory }: Pick<ReadContext, 'memory'>): Describe<Enumeration> {
  return (io) => {
    const enumeration = enumerationFile(io)
    const [most, found] = [memory.enumerationValues, enumerationValueNum(enumeration)]
    if (found <= most) return enumeration
    const fault = withHint({ expected: `at most ${most} values`, found }, '(--memory lifts this bound)')
    throw new InspectError('TOO_LARGE', fault, { field: 'data' })
  }
}
