/** A process that works with a database is killed at any question to it, before as after that is answered; another one takes over. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { lmdbStorage } from '../../src/adapters/storage-lmdb/index.ts'
import { WORKS, type Work } from '../fault/database-works.ts'
import { slowly, World } from '../fault/database-world.ts'
import { startChild } from '../fixtures/child.ts'
import { compiled } from '../fixtures/compiled.ts'
import type { Answered, DatabaseArguments, Question } from './database.child.ts'

const SLOW = Boolean(process.env['SLOW'])
const PROGRAM = 'test/crash/database.child.ts'
const TIME_LIMIT = 300_000
/** More than any work has. */
const MOST_QUESTIONS = 10

beforeAll(() => {
  if (SLOW) compiled(PROGRAM)
}, 120_000)

/** Does in the database what the process asks for. */
async function carryOut(world: World, { call, argument }: Question): Promise<Answered> {
  const { signal } = new AbortController()
  const { database } = world
  try {
    if (call === 'connect') await (await database.connect(argument, signal)).close()
    else {
      const connection = await database.connect(world.rootLogin, signal)
      await connection[call](argument as never, signal).finally(() => connection.close())
    }
    return {}
  } catch (thrown) {
    return { failure: { reason: (thrown as { reason: string }).reason } }
  }
}

/** False where the process had come to its end before. */
async function killAt(work: Work, at: number, when: 'before' | 'after'): Promise<boolean> {
  const path = await mkdtemp(join(tmpdir(), 'strongroom-'))
  const storage = lmdbStorage({ path, shared: true })
  const world = await World.furnished({ storage, drive: slowly })
  try {
    if (work.wait !== undefined) await world.clock.advance(work.wait)
    const { lease_id, rootToken } = world
    const args: DatabaseArguments = { path, work: work.name, now: world.clock.now(), rootToken, lease_id }
    const child = startChild(PROGRAM, args)
    let asked = 0
    for await (const question of child.told as AsyncIterable<Question>) {
      const isLast = asked++ === at
      if (isLast && when === 'before') child.kill()
      else {
        const answer = await carryOut(world, question)
        if (isLast) child.kill()
        else child.tell(answer)
      }
    }
    const ended = await child.ended
    const next = await world.start()
    await world.calm(next)
    await world.check(next)
    return ended === 'killed'
  } finally {
    await storage.close()
    await rm(path, { recursive: true, force: true })
  }
}

describe.skipIf(!SLOW).each(WORKS)('$name by a process that is killed (only with SLOW: a process for each question)', (work) => {
  it.each(['before', 'after'] as const)('%s any question is answered', { timeout: TIME_LIMIT }, async (when) => {
    let at = 0
    while (await killAt(work, at, when)) at++
    expect(at).toBeGreaterThanOrEqual(2)
    expect(at).toBeLessThan(MOST_QUESTIONS)
  })
})
