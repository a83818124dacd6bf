/**
 * Expressions: selectors of binding rules and filters of lists.
 */
export { type Checked, checkExpression } from './check-expression.ts'
export { Effort } from './effort.ts'
export { matches } from './evaluate.ts'
export { type Explanation, explain } from './explain.ts'
export { parseExpression } from './parse-expression.ts'
export { printExpression } from './print-expression.ts'
export {
  bool,
  float,
  int,
  listOf,
  mapOf,
  otherMap,
  type RecordShape,
  record,
  type Shape,
  text,
  uint,
} from './shape.ts'
export { type Expression, LONGEST_EXPRESSION } from './syntax.ts'
