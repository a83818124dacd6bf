/** The journal and the verdicts of the PostgreSQL storage grow up to a bound. */
import { expect, it } from 'vitest'
import type { Change, Commit } from '../../../src/index.ts'
import { describePostgresql, postgresqlBench, put, textAt } from '../../fixtures/postgresql/bench.ts'

/** Fewer commits than are remembered, and then many more. */
const FEW = 10_000
const MANY = 50_000
const AT_ONCE = 5000

describePostgresql('the PostgreSQL journal', () => {
  const bench = postgresqlBench()

  it('is truncated, and notifies a watcher that missed truncated changes that any key may have changed', async () => {
    const [storage, late] = [await bench.open(), await bench.open()]
    await late.commit([put('first', 'x')], 'first')
    const pool = await bench.pool()
    const size = async (): Promise<number> => {
      const { rows } = await pool.query(`SELECT sum(octet_length(v)) AS bytes FROM ${bench.schema}.strongroom`)
      return Number((rows[0] as { bytes: string }).bytes)
    }
    let verdicts: readonly Commit[] = []
    const commit = async (from: number, to: number): Promise<void> => {
      for (let at = from; at < to; at += AT_ONCE)
        verdicts = await Promise.all(
          Array.from({ length: AT_ONCE }, (_, i) => storage.commit([put(`k/${i % 100}`, 'x')], `${at + i}`)),
        )
    }
    await commit(0, FEW)
    const few = await size()
    await commit(FEW, MANY)
    // No commit waits for the truncation.
    await expect.poll(size, { timeout: 60_000 }).toBeLessThan(few * 3)

    const changes: Change[] = []
    const stop = await late.watch('', 1, (change) => changes.push(change))
    const newest = await late.revision(true)
    await stop()
    expect(newest).toBe(MANY + 1)
    expect(changes[0]!.keys).toBeNull()
    expect(changes.at(-1)!.revision).toBe(newest)

    // The verdicts of the last thousand commits are known, also to a process that was idle.
    const again = await late.commit([put('k/0', 'never')], `${MANY - 1000}`)
    expect(again).toEqual(verdicts.at(-1000))
    expect(again.ok).toBe(true)
    expect(await textAt(late, 'k/0')).toBe('x')
  })
})
