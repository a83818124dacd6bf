/** The types of members that the definitions of entry kinds use. */

export { EntryReading } from './entry-reading.ts'
export { type FreeMap, free } from './free.ts'
export { list, type MapOf, map } from './lists.ts'
export {
  type AnyEntryMember,
  type EntryMember,
  type EntryMembers,
  keepZero,
  type MemberRule,
  type RecordOf,
  type ValueOf,
  withAlias,
} from './member.ts'
export { type RecordMember, type RecordMemberRules, record } from './record.ts'
export { bool, checkWord, duration, float, int, nanoseconds, notNegative, quotedValue, text, uint32, word } from './scalars.ts'
export { unsupported } from './unsupported.ts'
