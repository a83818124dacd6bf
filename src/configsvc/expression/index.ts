/** The expression language of binding rule selectors and list filters. */
export { type CheckedExpression, checkExpression } from './check-expression.ts'
export { matches } from './evaluate.ts'
export { EvaluationBudget } from './evaluation-budget.ts'
export { explainMatch, type MatchExplanation } from './explain.ts'
export { parseExpression } from './parse-expression.ts'
export { printExpression } from './print-expression.ts'
export {
  boolShape,
  floatShape,
  intShape,
  listShape,
  mapShape,
  otherMapShape,
  type RecordDataShape,
  recordShape,
  type Shape,
  textShape,
  uintShape,
} from './shape.ts'
export { type FilterExpression, MAX_EXPRESSION_CHARACTERS } from './syntax.ts'
