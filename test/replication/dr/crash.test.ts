/** A process that dies at any commit of becoming a secondary, or of taking over: whoever opens the store goes on. */
import { expect, it } from 'vitest'
import { createKernel, inProcessNetwork, type Kernel, keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { movingClock } from '../../fixtures/moving-clock.ts'
import { drRootOf, drTokenOf, ticked } from './pair.ts'

/** Commits until it dies, before or behind the next one. */
class Mortal {
  readonly memory = memoryStorage({ maxOps: 128 })
  left = Number.POSITIVE_INFINITY
  isDead = false

  /** A storage of one process: what another one opens is not dead. */
  open(): Storage {
    this.left = Number.POSITIVE_INFINITY
    this.isDead = false
    const check = () => {
      if (this.isDead) throw new Error('dead')
    }
    const { memory } = this
    return new Proxy(memory, {
      get: (target, name) => {
        const found = Reflect.get(target, name) as unknown
        if (typeof found !== 'function') return found
        if (name !== 'commit') return found.bind(memory)
        return async (...args: unknown[]) => {
          check()
          if (this.left-- <= 0) {
            this.isDead = true
            throw new Error('dead')
          }
          return (found as (...given: unknown[]) => Promise<unknown>).apply(memory, args)
        }
      },
    })
  }
}

const seal = keySeal(new Uint8Array(32).fill(5))

async function level(secondary: Kernel, primary: Kernel): Promise<void> {
  let roots: readonly (string | undefined)[] = []
  for (let ticks = 0; ticks < 20 && (ticks === 0 || roots[0] !== roots[1]); ticks++) {
    await ticked(secondary)
    roots = [await drRootOf(secondary), await drRootOf(primary)]
  }
  expect(roots[0]).toBe(roots[1])
}

/** Joining takes many commits that are alike. */
const CASES = [
  ['joining', 4],
  ['taking over', 1],
] as const

it.each(CASES)('a store whose process dies at any commit of %s is taken on by the next process', async (what, step) => {
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
    const died = await Promise.race([
      act.then(() => false).catch(() => true),
      new Promise<boolean>((resolve) => setInterval(() => mortal.isDead && resolve(true), 5).unref()),
    ])
    if (!died) {
      await Promise.all([primary.close(), secondary.close()])
      break
    }
    deaths++
    void secondary.close().catch(() => {})
    // The claims of the dead process have expired.
    clock.advance(60_000)
    secondary = await make(mortal.open())
    await secondary.tick()
    const { mode } = await secondary.replication.dr.readStatus()
    if (what === 'joining') {
      if (mode === 'disabled') {
        await primary.replication.dr.revokeSecondary({ id: `s${most}-${deaths - 1}` })
        await join()
      }
      await level(secondary, primary)
      await expect(secondary.kv.readSecret({ path: 'a' })).rejects.toMatchObject({ code: 'ERR_DR_SECONDARY' })
    } else {
      if (mode === 'secondary') await secondary.replication.dr.promote()
      expect((await secondary.kv.readSecret({ path: 'a' })).data).toEqual({ a: 1 })
      await primary.replication.dr.updatePrimary({ token: await drTokenOf(secondary, 'back') })
      await ticked(secondary)
      await level(primary, secondary)
    }
    await Promise.all([primary.close(), secondary.close()])
  }
  expect(deaths).toBeGreaterThan(1)
})
