/** A process is killed repeatedly during a reindex. The next process on the store continues from the stored position. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startChild } from '../../fixtures/child.ts'
import type { ChildMessage, ReindexArguments } from './reindex.child.ts'

const PROGRAM = 'test/replication/inspect/reindex.child.ts'

type Progress = Extract<ChildMessage, { readonly type: 'progress' }>

/** Runs a process until it hangs after the stored position, or until the reindex ends. */
async function run(args: ReindexArguments): Promise<readonly Progress[]> {
  const child = startChild(PROGRAM, args)
  const reports: Progress[] = []
  for await (const message of child.messages as AsyncIterable<ChildMessage>)
    if (message.type === 'hangs') child.kill()
    else reports.push(message)
  await child.ended
  return reports
}

it('a reindex whose process is killed repeatedly continues from its stored position and completes', async () => {
  const path = await mkdtemp(join(tmpdir(), 'strongroom-'))
  const began = Date.now()
  let noted = 0
  let root = ''
  for (let kills = 0; ; kills++) {
    const reports = await run({ path, secrets: 1600, began, hangs: { beyond: noted, calls: 1 + kills * 7 } })
    const first = reports[0]
    // Keys before the stored position are not inspected again.
    expect(first?.done ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(noted)
    if (root !== '') expect(first?.root).toBe(root)
    root = first?.root ?? ''
    const last = reports.at(-1)?.done
    if (last === undefined) {
      expect(kills).toBeGreaterThan(1)
      break
    }
    expect(last).toBeGreaterThan(noted)
    noted = last
  }
  await rm(path, { recursive: true })
})
