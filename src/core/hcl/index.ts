/**
 * Reads texts in HCL 1 or its JSON form; their meaning, and the wording of refusals, is up to who reads.
 */
export { isJson, readText } from './read-text.ts'
export { HclBody, type HclMember, type HclValue, lineNumberAt, quoteText, type TextKind } from './syntax.ts'
