/**
 * The types of members, from which the tables of the kinds are made.
 */
export { type FreeMap, free } from './free.ts'
export { list, type MapOf, map } from './lists.ts'
export { type AnyMember, aliased, kept, type Member, type Members, type RecordOf, type Rule, type ValueOf } from './member.ts'
export { Reading } from './reading.ts'
export { type RecordMember, type RecordRules, record } from './record.ts'
export { refused } from './refused.ts'
export { bool, checkWord, duration, float, int, nanoseconds, notNegative, shown, text, uint32, word } from './scalars.ts'
