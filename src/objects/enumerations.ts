import { InspectError, movedTo, withHint } from '../base/errors.ts'
import { MEMORY_RAISES_BOUND } from '../base/memory.ts'
import { type Enumeration, enumerationFile, enumerationValueNum } from '../format/enumeration.ts'
import type { Describe } from '../format/io.ts'
import type { ReadContext } from './read-context.ts'

/**
 * {@link enumerationFile} for readers that will cut the data into values. Few bytes may hold many values: an empty value takes only its offset.
 * @throws InspectError TOO_LARGE if memory has no room for so many values
 */
export function boundedEnumeration({ memory }: Pick<ReadContext, 'memory'>): Describe<Enumeration> {
  return (io) => {
    const enumeration = enumerationFile(io)
    const [most, found] = [memory.mostEnumerationValues, enumerationValueNum(enumeration)]
    if (found <= most) return enumeration
    const fault = withHint({ expected: `at most ${most} values`, found }, MEMORY_RAISES_BOUND)
    throw new InspectError('TOO_LARGE', fault, { field: 'data' })
  }
}

/** The fault of an enumeration that cannot be read. @param field what names it */
export function enumerationFault(fault: InspectError, field: string): InspectError {
  const at = { ...fault.at, field }
  const missing = { expected: 'the file with the values of its enumeration', found: 'no such file' }
  return fault.code === 'NOT_FOUND' ? new InspectError('MISSING_FILE', missing, at) : movedTo(at, fault)
}
