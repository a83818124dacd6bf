/** A process that is killed in the middle of a reindex, again and again: whoever opens the store goes on where it was. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startChild } from '../../fixtures/child.ts'
import { compiled } from '../../fixtures/compiled.ts'
import type { ReindexArguments, Told } from './reindex.child.ts'

const PROGRAM = 'test/replication/inspect/reindex.child.ts'

beforeAll(() => {
  compiled(PROGRAM)
}, 120_000)

/** Runs until it has come further than `beyond` keys, or to the end. */
async function run(args: ReindexArguments, beyond: number): Promise<readonly Told[]> {
  const child = startChild(PROGRAM, args)
  const told: Told[] = []
  for await (const one of child.told as AsyncIterable<Told>) {
    told.push(one)
    if ((one.done ?? 0) > beyond) child.kill()
  }
  await child.ended
  return told
}

it('goes on where it was, and ends', { timeout: 300_000 }, async () => {
  const path = await mkdtemp(join(tmpdir(), 'strongroom-'))
  const args = { path, secrets: 1600, began: Date.now() }
  let noted = 0
  let root = ''
  for (let kills = 0; ; kills++) {
    const told = await run(args, noted)
    const first = told[0]
    // What was noted before the kill is not looked at again.
    expect(first?.done ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(noted)
    if (root !== '') expect(first?.root).toBe(root)
    root = first?.root ?? ''
    const last = told.at(-1)?.done
    if (last === undefined) {
      expect(kills).toBeGreaterThan(1)
      break
    }
    noted = last
  }
  await rm(path, { recursive: true })
})
