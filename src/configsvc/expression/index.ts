/** The expression language of binding rule selectors and list filters. */
export { type CheckedExpression, checkExpression } from './check-expression.ts'
export { matches } from './evaluate.ts'
export { EvaluationBudget } from './evaluation-budget.ts'
export { explainMatch, type MatchExplanation } from './explain.ts'
export { parseExpression } from './parse-expression.ts'
export { printExpression } from './print-expression.ts'
export {
  bool,
  float,
  int,
  listShape,
  mapShape,
  otherMap,
  type RecordDataShape,
  record,
  type Shape,
  text,
  uint,
} from './shape.ts'
export { type FilterExpression, MAX_EXPRESSION_CHARACTERS } from './syntax.ts'
