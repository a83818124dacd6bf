/**
 * Templates of names in binding rules.
 */
export { checkTemplate, interpolate } from './interpolate.ts'
export { LONGEST_TEMPLATE } from './nodes.ts'
