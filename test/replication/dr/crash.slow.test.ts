/** A process dies at any commit of joining or of a promotion. The next process continues. */
import { expect, it } from 'vitest'
import { CLAIM_TTL_MS } from '../../../src/core/contract/lane.ts'
import { createKernel, inProcessNetwork, type Kernel, keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { type MovingClock, movingClock } from '../../fixtures/moving-clock.ts'
import { drRootOf, drTokenOf, ticked } from './pair.ts'

/** A store whose current process dies after `left` commits. */
class Mortal {
  readonly memory = memoryStorage({ maxOps: 128 })
  left = Number.POSITIVE_INFINITY
  /** Resolves when the current process dies. */
  death: Promise<true> = new Promise(() => {})

  /** The storage of a new process. A dead process stays dead. */
  open(): Storage {
    this.left = Number.POSITIVE_INFINITY
    const { memory } = this
    let isDead = false
    let die = (_: true): void => {}
    this.death = new Promise((resolve) => {
      die = resolve
    })
    return {
      ...memory,
      commit: async (ops, id) => {
        if (isDead || this.left-- <= 0) {
          isDead = true
          die(true)
          throw new Error('dead')
        }
        return memory.commit(ops, id)
      },
    }
  }
}

const seal = keySeal(new Uint8Array(32).fill(5))

async function level(secondary: Kernel, primary: Kernel, clock: MovingClock): Promise<void> {
  let roots: readonly (string | undefined)[] = []
  for (let ticks = 0; ticks < 20 && (ticks === 0 || roots[0] !== roots[1]); ticks++) {
    await ticked(secondary)
    // The claim of the dead process expires after another process has seen it for this time.
    clock.advance(CLAIM_TTL_MS)
    roots = [await drRootOf(secondary), await drRootOf(primary)]
  }
  expect(roots[0]).toBe(roots[1])
}

/** Joining makes many similar commits, so test only every fourth. */
const CASES = [
  ['joining', 4],
  ['taking over', 1],
] as const

it.each(CASES)('after a crash at any commit of %s, the next process can open and use the store', async (what, step) => {
  let deaths = 0
  for (let most = 0; ; most += step) {
    const replication = inProcessNetwork()
    const clock = movingClock()
    const make = (storage: Storage, key = seal) =>
      createKernel({ storage, seal: key, initialize: true, ports: { replication }, clock })
    const primary = await make(memoryStorage({ maxOps: 128 }), keySeal(new Uint8Array(32).fill(6)))
    await primary.kv.writeSecret({ path: 'a', data: { a: 1 } })
    await primary.replication.dr.enablePrimary()
    const mortal = new Mortal()
    let secondary: Kernel = await make(mortal.open())
    const join = async () => secondary.replication.dr.enableSecondary({ token: await drTokenOf(primary, `s${most}-${deaths}`) })
    if (what === 'taking over') {
      await join()
      await ticked(secondary)
      await primary.replication.dr.demotePrimary()
    }
    mortal.left = most
    const act = what === 'joining' ? join().then(() => ticked(secondary)) : secondary.replication.dr.promote()
    const died = await Promise.race([act.then(() => false).catch(() => true), mortal.death])
    if (!died) {
      await Promise.all([primary.close(), secondary.close()])
      break
    }
    deaths++
    void secondary.close().catch(() => {})
    secondary = await make(mortal.open())
    await secondary.tick()
    const { mode } = await secondary.replication.dr.readStatus()
    if (what === 'joining') {
      if (mode === 'disabled') {
        await primary.replication.dr.revokeSecondary({ id: `s${most}-${deaths - 1}` })
        await join()
      }
      await level(secondary, primary, clock)
      await expect(secondary.kv.readSecret({ path: 'a' })).rejects.toMatchObject({ code: 'ERR_DR_SECONDARY' })
    } else {
      if (mode === 'secondary') await secondary.replication.dr.promote()
      expect((await secondary.kv.readSecret({ path: 'a' })).data).toEqual({ a: 1 })
      await primary.replication.dr.updatePrimary({ token: await drTokenOf(secondary, 'back') })
      await ticked(secondary)
      await level(primary, secondary, clock)
    }
    await Promise.all([primary.close(), secondary.close()])
  }
  expect(deaths).toBeGreaterThan(1)
})
