/** Reads texts in HCL version 1 or its JSON form. The caller interprets the members and words the errors. */
export { isJson, readText } from './read-text.ts'
export { HclBody, type HclMember, type HclValue, lineNumberAt, quoteText, type TextKind } from './syntax.ts'
