/** Everything that `#platform/*` resolves to in the built package on Node. */

export { bufferPool } from './buffer-pool.ts'
export { isTurnSpent, pause } from './pause.ts'
export { rsa } from './rsa.ts'
export { platform } from './subtle.ts'
export { texts } from './texts.ts'
export { tracer } from './tracing.ts'
