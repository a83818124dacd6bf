/**
 * A primary that writes continuously and a secondary that follows it over TCP, each a process with its own store. Both are killed repeatedly
 * at random times.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { randomOf } from '../../crash/lane.ts'
import { freeAddress } from '../../fixtures/free-address.ts'
import type { PlaceKind } from '../../fixtures/places.ts'
import { Cluster } from './cluster.ts'
import { Ledger } from './ledger.ts'

const DEFAULT_SEED = 19
/** The maximum number of milliseconds before a process is killed while it starts or joins. */
const YOUNG_MS = 1200
/** The maximum number of milliseconds before a kill while both processes work. */
const OLD_MS = 400

/**
 * Expects that after all kills the secondary has every acknowledged write of its primary, and that no reader ever finds a part of a commit.
 */
export async function expectLevelAfterKills({ open }: PlaceKind, kills: number, seed = DEFAULT_SEED): Promise<void> {
  const [first, second] = [await open(), await open()]
  const random = randomOf(seed)
  const ledger = new Ledger()
  const began = Date.now()
  const primary = new Cluster({ where: first.where, name: 'primary', address: await freeAddress(), began }, ledger)
  const secondary = new Cluster({ where: second.where, name: 'secondary', address: '127.0.0.1:0', began }, ledger)
  let tokens = 0

  /** Waits until both processes are open, and lets the secondary join the primary if it has not joined. */
  const ready = async (): Promise<void> => {
    await primary.until(() => primary.mode !== undefined, 'its opening')
    await secondary.until(() => secondary.mode !== undefined, 'its opening')
    if (secondary.mode !== 'disabled') return
    const { token } = await primary.ask({ ask: 'token', id: `secondary-${++tokens}` }, 'token')
    secondary.send({ ask: 'join', token })
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
      await secondary.until(() => secondary.streams, 'streaming')
      const { looks } = secondary
      await secondary.until(() => secondary.looks > looks, 'a look at what it holds')
      await sleep(random() * OLD_MS)
    }
    await victim.kill().catch((cause: unknown) => {
      throw new Error(`at kill ${kill + 1}`, { cause })
    })
    killed[victim.name as 'primary' | 'secondary']++
    // The other process works alone for a while.
    if (random() < 0.4) await sleep(random() * OLD_MS)
    victim.start()
  }
  await ready()
  await secondary.until(() => secondary.streams, 'streaming')
  await secondary.until(() => secondary.looks > kills, 'as many looks as kills')
  await primary.until(() => ledger.acknowledged > kills, 'as many acknowledged writes as kills')
  primary.send({ ask: 'rest' })
  secondary.send({ ask: 'rest' })

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
  // Tokens are not replicated.
  expect(here.tokens).toBeGreaterThan(there.tokens)

  expect(secondary.torn).toEqual([])
  expect(Math.min(killed.primary, killed.secondary)).toBeGreaterThan(kills / 10)
  await Promise.all([primary.end(), secondary.end()])
  await Promise.all([first.remove(), second.remove()])
}
