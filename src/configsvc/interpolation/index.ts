/** Templates for names in binding rules. */
export { checkNameTemplate, interpolateName } from './interpolate.ts'
export { MAX_NAME_TEMPLATE_CHARACTERS } from './nodes.ts'
