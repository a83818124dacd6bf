/** A process with a database engine is killed at any call to the database, before or after its answer. Another process takes over. */
import { beforeAll, describe, expect, it } from 'vitest'
import { WORKS, type Work } from '../fault/database-works.ts'
import { onRealStore, World } from '../fault/database-world.ts'
import { startChild } from '../fixtures/child.ts'
import { compiled } from '../fixtures/compiled.ts'
import { PLACES, type PlaceKind } from '../fixtures/places.ts'
import { openStoreAt } from '../fixtures/store-at.ts'
import type { Answered, DatabaseArguments, Question } from './database.child.ts'

const PROGRAM = 'test/crash/database.child.ts'
/** More calls than any work makes. */
const MAX_QUESTIONS = 10

beforeAll(() => {
  compiled(PROGRAM)
})

/** Does in the database what the process requests. */
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

/** Returns false if the process ended before that call. */
async function killAt(kind: PlaceKind, work: Work, at: number, when: 'before' | 'after'): Promise<boolean> {
  const { where, remove } = await kind.open()
  const { storage, close } = openStoreAt(where, { shared: true })
  const world = await World.furnished(onRealStore(storage))
  try {
    if (work.wait !== undefined) await world.clock.advance(work.wait)
    const { lease_id, rootToken } = world
    const args: DatabaseArguments = { where, work: work.name, now: world.clock.now(), rootToken, lease_id }
    const child = startChild(PROGRAM, args)
    let questionCount = 0
    for await (const question of child.messages as AsyncIterable<Question>) {
      const isLast = questionCount++ === at
      if (isLast && when === 'before') child.kill()
      else {
        const answer = await carryOut(world, question)
        if (isLast) child.kill()
        else child.send(answer)
      }
    }
    const ended = await child.ended
    const next = await world.start()
    await world.calm(next)
    await world.check(next)
    return ended === 'killed'
  } finally {
    await close()
    await remove()
  }
}

const CELLS = PLACES.flatMap((kind) =>
  WORKS.map((work) => ({ kind, work, name: work.name, place: kind.name, missing: kind.missing })),
)

describe.each(CELLS)('the database work $name on $place', ({ kind, work, missing }) => {
  const unless = missing ? ` (${missing})` : ''
  it.skipIf(missing).each(['before', 'after'] as const)(
    `leaves a consistent state if the process is killed %s any database call is answered${unless}`,
    async (when) => {
      let at = 0
      while (await killAt(kind, work, at, when)) at++
      expect(at).toBeGreaterThanOrEqual(2)
      expect(at).toBeLessThan(MAX_QUESTIONS)
    },
  )
})
