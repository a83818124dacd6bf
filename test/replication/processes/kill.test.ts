/**
 * A primary that writes all the time and a secondary that follows it, each a process on a store of its own, over TCP. Either is killed at any moment, again
 * and again: what the primary has acknowledged is on the secondary in the end, and no reader there ever finds a commit by halves.
 */
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { randomOf } from '../../crash/lane.ts'
import { compiled } from '../../fixtures/compiled.ts'
import { PLACES } from '../../fixtures/places.ts'
import { Cluster } from './cluster.ts'
import { Ledger } from './ledger.ts'

const SLOW = Boolean(process.env['SLOW'])
const KINDS = PLACES.map((kind) => ({
  ...kind,
  missing: kind.missing ?? (kind.name === 'LMDB' || SLOW ? undefined : 'with SLOW'),
  kills: kind.name !== 'LMDB' ? 40 : SLOW ? 200 : 12,
}))
const SEED = 19
/** Milliseconds that a process lives at the most before it is killed on its way to where it works. */
const YOUNG_MS = 1200
/** And once both are at work. */
const OLD_MS = 400

beforeAll(() => {
  compiled('test/replication/processes/cluster.child.ts')
}, 120_000)

/** An address that nobody has: the primary keeps it over its lives. */
async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { readonly port: number }
  await new Promise((resolve) => server.close(resolve))
  return `127.0.0.1:${port}`
}

describe.each(KINDS)('a secondary on $name', ({ missing, kills, open }) => {
  it.skipIf(missing)(
    `is level with its primary after ${kills} kills of either${missing ? ` (${missing})` : ''}`,
    { timeout: 180_000 + kills * 10_000 },
    async () => {
      const [first, second] = [await open(), await open()]
      const random = randomOf(SEED)
      const ledger = new Ledger()
      const began = Date.now()
      const primary = new Cluster({ where: first.where, name: 'primary', address: await freeAddress(), began }, ledger)
      const secondary = new Cluster({ where: second.where, name: 'secondary', address: '127.0.0.1:0', began }, ledger)
      let tokens = 0

      /** Both are there, and the secondary has been told whom to follow. */
      const ready = async (): Promise<void> => {
        await primary.until(() => primary.mode !== undefined, 'its opening')
        await secondary.until(() => secondary.mode !== undefined, 'its opening')
        if (secondary.mode !== 'disabled') return
        const { token } = await primary.ask({ ask: 'token', id: `secondary-${++tokens}` }, 'token')
        secondary.tell({ ask: 'join', token })
        secondary.mode = 'joining'
      }

      primary.start()
      secondary.start()
      const killed = { primary: 0, secondary: 0 }
      for (let kill = 0; kill < kills; kill++) {
        const victim = random() < 0.5 ? primary : secondary
        if (random() < 0.3) await sleep(random() * YOUNG_MS)
        else {
          await ready()
          await secondary.until(() => secondary.streams, 'the end of its way to the primary')
          await sleep(random() * OLD_MS)
        }
        await victim.kill().catch((cause: unknown) => {
          throw new Error(`at kill ${kill + 1}`, { cause })
        })
        killed[victim.name as 'primary' | 'secondary']++
        // The other one goes on alone for a while.
        if (random() < 0.4) await sleep(random() * OLD_MS)
        victim.start()
      }
      await ready()
      await secondary.until(() => secondary.streams, 'the end of its way to the primary')
      primary.tell({ ask: 'rest' })
      secondary.tell({ ask: 'rest' })

      let roots: readonly string[] = ['', 'none']
      for (const deadline = Date.now() + 120_000; Date.now() < deadline && roots[0] !== roots[1]; await sleep(50)) {
        const [here, there] = [await primary.ask({ ask: 'status' }, 'status'), await secondary.ask({ ask: 'status' }, 'status')]
        roots = [here.root, there.root]
      }
      expect(roots[1]).toBe(roots[0])
      const here = await primary.ask({ ask: 'contents' }, 'contents')
      const there = await secondary.ask({ ask: 'contents' }, 'contents')
      expect(ledger.faults(there.contents)).toEqual([])
      expect(there.contents).toEqual(here.contents)
      // Tokens stay where they were made.
      expect(here.tokens).toBeGreaterThan(there.tokens)

      expect(secondary.torn).toEqual([])
      expect(secondary.looks).toBeGreaterThan(kills)
      expect(ledger.acknowledged).toBeGreaterThan(kills)
      expect(Math.min(killed.primary, killed.secondary)).toBeGreaterThan(kills / 10)
      await Promise.all([primary.end(), secondary.end()])
      await Promise.all([first.remove(), second.remove()])
    },
  )
})
