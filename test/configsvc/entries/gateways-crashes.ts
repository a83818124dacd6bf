/**
 * A process dies during a reconciliation, and another process completes it.
 */
import { expect } from 'vitest'
import { createConfigService } from '../../../src/config-service.ts'
import { memoryStorage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { configWorld } from '../../fixtures/configsvc.ts'
import { interrupting } from '../../fixtures/interrupting-storage.ts'
import { certificate, gateway, gatewayWorld, HTTP, httpRoute, withCertificate } from './gateway-world.ts'

const MINUTE = 60_000

export const START = [HTTP, gateway('gw', withCertificate('c')), httpRoute('r'), httpRoute('s', { parents: ['gw', 'other'] })]

export const NEXT = [certificate('c'), gateway('other', {}), httpRoute('r', { parents: ['other/l0'] })]

/** The gateways and routes after reconciliation, without their indexes. */
export async function outcome(service: Parameters<typeof gatewayWorld>[0]): Promise<unknown> {
  const { entries } = service
  const kinds = ['api-gateway', 'bound-api-gateway', 'http-route', 'tcp-route'] as const
  const lists = await Promise.all(kinds.map((Kind) => entries.list({ Kind })))
  return lists.map((list) => list.map(({ CreateIndex: _create, ModifyIndex: _modify, ...entry }) => entry))
}

/** The outcome without a crash. */
export const undisturbed = async (): Promise<unknown> => {
  await using world = await configWorld()
  const { put, settle } = gatewayWorld(world.service)
  await put(...START)
  await settle()
  await put(...NEXT)
  await settle()
  return outcome(world.service)
}

/** Removes the transition times, which differ between runs. */
export const stateOf = (found: unknown): unknown =>
  JSON.parse(JSON.stringify(found, (name, value) => (name === 'LastTransitionTime' ? undefined : value)))

/** A process dies at every `stride`th storage call. */
export const diesAt =
  (stride: number) =>
  async (when: 'before' | 'after'): Promise<void> => {
    const expected = await undisturbed()
    for (let at = 1, died = true; died; at += stride) {
      const storage = memoryStorage()
      const options = { plaintext: true, clock: fakeClock() } as const
      await using whole = await createConfigService({ ...options, storage })
      const { put, settle } = gatewayWorld(whole)
      await put(...START)
      await settle()
      await put(...NEXT)
      const failing = interrupting(at, when)
      const dying = await createConfigService({ ...options, storage: failing.wrap(storage) }).catch(() => undefined)
      await dying?.tick().catch(() => {})
      died = failing.calls >= at
      await dying?.close().catch(() => {})
      // Waits until the claims of the dead process have expired.
      await options.clock.advance(MINUTE)
      await settle()
      expect(stateOf(await outcome(whole))).toEqual(stateOf(expected))
    }
  }
