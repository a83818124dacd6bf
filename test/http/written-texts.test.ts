import { expect, it } from 'vitest'
import { encodeAnswer } from '../../src/adapters/http/encode-answer.ts'
import { BudgetShare, MemoryBudget } from '../../src/adapters/http/memory-budget.ts'
import { turnsDuring } from '../configsvc/turns.ts'

const answer = (body: string) => ({ status: 200, headers: {}, body })

it('encodeAnswer reserves memory for a long text before it encodes the text, and lets the event loop run meanwhile', async () => {
  const body = 'aé€😀'.repeat(400_000)
  const bytes = Buffer.byteLength(body)
  const room = new BudgetShare(new MemoryBudget(bytes))
  const { result, turns } = await turnsDuring(async () => encodeAnswer(answer(body), 'GET', room))
  expect(result).toMatchObject({ status: 200, headers: { 'Content-Length': String(bytes) } })
  expect(Buffer.from(result.bytes ?? []).toString()).toBe(body)
  expect(turns).toBeGreaterThan(10)
  const small = new MemoryBudget(1_000_000)
  expect(await encodeAnswer(answer(body), 'GET', new BudgetShare(small))).toMatchObject({ status: 503 })
})
