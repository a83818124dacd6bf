/** Reads HCL version 1 and its JSON form. The caller interprets the members and defines the wording of errors. */
export { isJson, readText } from './read-text.ts'
export { HclBody, type HclMember, type HclValue, lineNumberAt, quoteText, type TextKind } from './syntax.ts'
