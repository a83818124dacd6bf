/** A port that an engine declares exists only in kernels with that engine. */
import { describe, expect, it } from 'vitest'
import { createKernel } from '../../../src/chosen-kernel.ts'
import { engineValue, f, isBytes, operation, portMethods } from '../../../src/engine.ts'
import { kv, transit } from '../../../src/engines.ts'
import { keySeal, memoryStorage, type Ports } from '../../../src/index.ts'
import { fakeClock, fakeManagedKeys } from '../../../src/testing/index.ts'

interface Bell {
  ring(times: number, signal: AbortSignal): Promise<Uint8Array>
}
/** The cast avoids merging into `Ports`, which would make every test of all ports include this one. */
const portsWith = (bell: Bell): Ports => ({ bell }) as unknown as Ports

const ring = operation({
  kind: 'read',
  verb: 'GET',
  path: '/ring',
  summary: 'Rings the bell.',
  fields: {},
  returns: { rung: f.int('How often.') },
  run: (tx) => ({ rung: tx.once('ring', () => (tx.env.ports as unknown as { bell: Bell }).bell.ring(3, tx.env.closing)).length }),
})
const operations = { ring }
const bells = () =>
  engineValue<{ bells: { ring(): Promise<{ rung: number }> } }>({
    type: 'bells',
    mounts: 'secret',
    operations,
    due: {},
    ports: { bell: portMethods<Bell>({ ring: { signalAt: 1, answers: isBytes } }) },
    fresh: [{ path: 'bells/', description: 'bells' }],
    facades: { bells: { path: 'bells/', operations } },
  })
const options = () => ({ storage: memoryStorage(), seal: keySeal(new Uint8Array(32)), initialize: true })

describe('a port that an engine declares', () => {
  it('is called with an abort signal, and its result is validated', async () => {
    let received: unknown
    const bell: Bell = {
      async ring(times, signal) {
        received = signal
        return new Uint8Array(times)
      },
    }
    await using kernel = await createKernel({ ...options(), engines: [bells()], ports: portsWith(bell) })
    expect(await kernel.bells.ring()).toEqual({ rung: 3 })
    expect(received).toBeInstanceOf(AbortSignal)
    const wrong = { ring: async () => 'no bytes' } as unknown as Bell
    await using otherEntry = await createKernel({ ...options(), engines: [bells()], ports: portsWith(wrong) })
    await expect(otherEntry.bells.ring()).rejects.toThrow()
  })

  it('makes a call fail if it does not answer until the deadline', async () => {
    const clock = fakeClock()
    const bell: Bell = { ring: () => new Promise(() => {}) }
    await using kernel = await createKernel({
      ...options(),
      clock,
      engines: [bells()],
      ports: portsWith(bell),
      effectTimeoutMs: 50,
    })
    const rung = kernel.bells.ring()
    const refused = expect(rung).rejects.toThrow()
    await clock.advance(100)
    await refused
  })

  it('is refused if it lacks a method, or if no engine of the kernel declares it', async () => {
    await expect(createKernel({ ...options(), engines: [bells()], ports: portsWith({} as Bell) })).rejects.toThrow(TypeError)
    await expect(
      createKernel({ ...options(), engines: [kv()], ports: { managedKeys: fakeManagedKeys({ keys: [] }) } }),
    ).rejects.toThrow('unknown port managedKeys')
    await using kernel = await createKernel({
      ...options(),
      engines: [transit()],
      ports: { managedKeys: fakeManagedKeys({ keys: [] }) },
    })
    expect(kernel.seal.state).toBe('open')
  })
})
