/**
 * Key/value version 2 beside a live original. What is left out is named with the part that brings it; a step that is left out and passes
 * fails the test, so the list can only shrink.
 */
import { describe, expect, it } from 'vitest'
import type { KernelRequest, KernelResponse } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { type Mounting, openMounting } from '../fixtures/kv-mounts.ts'
import { ALL_STORES } from '../fixtures/stores.ts'
import { loadTranscripts, replayOn, transcriptsPresent } from './harness.ts'
import { LATER_FILES, LATER_STEPS } from './kv2-later.ts'

const NAMING = { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' }
const START = Date.UTC(2026, 10, 21)

/** Requests that mount and upgrade are answered by the fixture, as the original answered them. */
function asking({ kernel, mount, upgrade }: Mounting): (request: KernelRequest) => Promise<Partial<KernelResponse>> {
  return async (request) => {
    const [, path, tune] = /^sys\/mounts\/([^/]+)(\/tune)?$/.exec(request.path) ?? []
    const { options } = (request.body ?? {}) as { readonly options?: { readonly version?: string } }
    if (request.method !== 'POST' || path === undefined || (tune && options?.version !== '2'))
      return kernel.handle({ ...request, path: `/v1/${request.path}`, remote_address: '127.0.0.1' })
    if (!tune) await mount(`${path}/`, options?.version as '1' | '2')
    else if (upgraded.has(kernel)) return kernel.handle({ ...request, path: `/v1/${request.path}` })
    else {
      upgraded.add(kernel)
      await upgrade(`${path}/`)
      return { status: 200, body: { ...ENVELOPE, warnings: ['upgrading'] } }
    }
    return { status: 204 }
  }
}

/** Nobody waits for the time that stands still; only steps that say so let it pass. */
const oneTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const upgraded = new WeakSet<object>()
const ENVELOPE = { request_id: '', lease_id: '', renewable: false, lease_duration: 0, data: null, wrap_info: null, auth: null }

describe.skipIf(!transcriptsPresent)(
  'transcripts of a live original (skipped: the folder shared/transcripts is absent)',
  async () => {
    const all = (transcriptsPresent ? await loadTranscripts('kv') : [])
      .map((transcript) => [transcript.file.replace('.json', ''), transcript] as const)
      .filter(([name]) => name.startsWith('v2-') && !(name in LATER_FILES))

    it('covers every file of the part that is built', () => {
      expect(all.length).toBe(19)
    })

    describe.each(ALL_STORES)('on $name', (store) => {
      it.each(all)('%s', async (name, transcript) => {
        const { storage, drop } = await store.open()
        const clock = fakeClock(START)
        const mounting = await openMounting({ naming: NAMING, storage, clock: { ...clock, sleep: oneTurn }, initialize: true })
        const wait = async (seconds: number) => {
          await clock.advance(seconds * 1000)
          await mounting.kernel.tick()
        }
        try {
          const options = { call: asking(mounting), skip: LATER_STEPS[name] ?? {}, wait }
          const results = await replayOn(mounting.kernel, transcript, options)
          expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
          expect(results.filter(({ skipped, passes }) => skipped !== undefined && passes).map(({ step }) => step)).toEqual([])
        } finally {
          await mounting.kernel.close()
          await drop()
        }
      })
    })
  },
)
