/** When a former primary learns of a newer epoch, a second process on its store stops writing too. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { startChild } from '../../fixtures/child.ts'
import { greet, REFUSALS, replaced } from './replaced.ts'
import type { ChildMessage } from './second.child.ts'
import { KINDS, World } from './world.ts'

const PROGRAM = 'test/replication/handing-over/second.child.ts'

const world = new World()

afterEach(async () => {
  world.cut.clear()
  await world.close()
})

describe.each(KINDS)('proof of a higher epoch, sent to a former primary (%s),', (kind) => {
  it('makes a second process on the same store refuse writes', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'strongroom-fenced-'))
    const path = join(directory, 'store')
    const storage = lmdbStorage({ path, shared: true })
    const { former, member } = await replaced(world, storage, kind)
    const child = startChild(PROGRAM, { path, seal: world.sealOf('a') })
    const messages: ChildMessage[] = []
    let greeted: Promise<void> | undefined
    for await (const message of child.messages as AsyncIterable<ChildMessage>) {
      messages.push(message)
      if (messages.length === 5) greeted = greet(member, former, kind)
      if (message.type === 'refused') break
    }
    await greeted
    child.send('end')
    expect(messages.at(-1)).toEqual({ type: 'refused', code: REFUSALS[kind], status: 400 })
    await child.ended
    await world.close()
    await storage.close()
    await rm(directory, { recursive: true })
  })
})
