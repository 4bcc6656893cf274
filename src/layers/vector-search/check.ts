import { finding, type Items } from '../../check/finding.ts'
import { namesText } from '../names-text.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { checkJson } from '../text.ts'
import {
  INDEX_TYPES,
  isIndexType,
  LISTS,
  lastAt,
  neededOf,
  numbersAt,
  rolesOf,
  STORAGE_VERSIONS,
  storageVersion,
  temporaryOf,
} from './index-parts.ts'

/** Checks what an index says of itself: version, type, members, lists, and times of its fragments. Reads no cells. */
export async function* checkIndex(top: DatasetPart): Items {
  const version = await storageVersion(top)
  const place = findingPlace(top, 'storage_version')
  if (version === undefined) yield finding('LAYER_METADATA', place, 'the key storage_version', 'no such key')
  else if (!Object.hasOwn(STORAGE_VERSIONS, version))
    yield finding('LAYER_VERSION', place, Object.keys(STORAGE_VERSIONS).join(', '), JSON.stringify(version))
  yield* checkMembers(top)
  yield* checkLists(top)
  yield* checkTimes(top)
}

async function* checkMembers(top: DatasetPart): Items {
  const type = await top.text('index_type')
  // Indexes of storage version 0.1 do not say.
  if (type !== undefined && !isIndexType(type))
    yield finding('LAYER_METADATA', findingPlace(top, 'index_type'), INDEX_TYPES.join(', '), JSON.stringify(type))
  if (isIndexType(type)) {
    for (const name of await neededOf(top)) {
      if (top.parts.get(name)?.target || top.lacks(name)) continue
      yield finding(
        'LAYER_MEMBER',
        findingPlace(top, name),
        `the array ${name} of an index of type ${type}`,
        'no such array',
      )
    }
  }
  for (const name of await temporaryOf(top)) {
    const part = top.parts.get(name)
    const found = part ? name : `${name}, which its group does not list`
    yield finding(
      'LAYER_STALE',
      part ? findingPlace(part) : findingPlace(top, name),
      'nothing temporary',
      found,
      'temporary',
    )
  }
}

/** The lists have an entry for each ingestion. */
async function* checkLists(top: DatasetPart): Items {
  const lengths = new Map<string, number>()
  for (const key of LISTS) {
    const list = await numbersAt(top, key)
    if (list) lengths.set(key, list.length)
    else if (list === undefined) yield* checkJson(top, [key])
    else yield finding('LAYER_TEXT', findingPlace(top, key), 'a list of numbers', 'something else')
  }
  const [[first, usual] = ['', 0]] = lengths
  for (const [key, length] of lengths)
    if (length !== usual)
      yield finding(
        'LAYER_COUNT',
        findingPlace(top, key),
        `${usual} ingestions, as ${first} has`,
        `${length} in ${key}`,
      )
}

/** Finds fragments that are newer than the last ingestion. Updates are newer: they are not yet part of the index. */
async function* checkTimes(top: DatasetPart): Items {
  const last = await lastAt(top, 'ingestion_timestamps')
  if (!last) return
  for (const part of (await rolesOf(top)).values()) {
    const fragments = await part.fragments()
    const newer = fragments.filter(
      ({ timestamp_range: range, committed }) => committed && range && range[0] > BigInt(last),
    )
    if (newer.length === 0) continue
    const found = namesText(newer.map(({ name }) => name))
    yield finding('LAYER_STALE', findingPlace(part), `fragments of ${last} or before`, found, 'newer')
  }
}
