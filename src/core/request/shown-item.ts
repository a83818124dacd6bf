import type { AnyBatch } from '../contract/operation.ts'
import { encodeResult, type Values } from '../field/parse.ts'

/** An element of `batch_results`. */
export function showItem(op: AnyBatch, result: Values | Error, reference: string): Values {
  if (result instanceof Error) return { ...op.failedItem, error: result.message, reference }
  const shown = encodeResult(op.returns, result)
  for (const [name, inBatch] of Object.entries(op.renamed ?? {})) {
    if (name in shown) {
      shown[inBatch] = shown[name]
      delete shown[name]
    }
  }
  shown['reference'] = reference
  return shown
}
