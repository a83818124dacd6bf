/**
 * The same requests with an audit sink: what is answered stays as it was, every request that is to be audited has its entries, the chain
 * holds, and no long value of what was sent or answered stands in the log: tokens, secrets, shares, plaintexts, ciphertexts.
 */
import { describe, expect, it } from 'vitest'
import { openpgp } from '../../src/adapters/pgp-openpgp/index.ts'
import {
  type AuditEntry,
  createKernel,
  type Kernel,
  type KernelRequest,
  keySeal,
  memoryStorage,
  shamirSeal,
  verifyAudit,
} from '../../src/index.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { reviewerAsApi } from '../fixtures/token-review-api.ts'
import { loadTranscripts, needsDatabase, replayOn, type Transcript, transcriptsPresent } from './harness.ts'

const AREAS = ['core', 'kv', 'leases', 'wrapping', 'passwords', 'transit', 'seal', 'orchestrator']

const nameOf = (area: string, { file }: Transcript) => `${area}/${file.replace('.json', '')}`

interface AnyTranscript extends Transcript {
  readonly options?: { readonly listener?: string }
}

async function wanted(): Promise<readonly (readonly [string, AnyTranscript])[]> {
  if (!transcriptsPresent) return []
  const all = await Promise.all(
    AREAS.map(async (area) => (await loadTranscripts(area)).map((transcript) => [nameOf(area, transcript), transcript] as const)),
  )
  return all.flat().filter(([, transcript]) => !needsDatabase(transcript))
}

/** Shorter ones are words that a transcript chose, and stand in names too. */
const SHORTEST = 20

/** Names a mount, in every entry about it. */
const MOUNT_ACCESSOR = /^auth_[a-z]+_[0-9a-f]{8}$/
const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/

/** What the originals write in the clear (core reference, audit): names of things, those of refusals and of members included. */
const CLEAR = new Set([
  ...['error', 'errors', 'warnings', 'request_id', 'lease_id', 'entity_id', 'path', 'paths', 'creation_path'],
  // A refusal names the attempt that is running; a backup has its shares under fingerprints.
  ...['nonce', 'verification_nonce', 'pgp_fingerprints'],
  // What a login tells of the caller, which is also its alias.
  ...['metadata', 'meta', 'aliases'],
])

/** Every long text that stands for a value in what was sent or answered: tokens, and whatever may be a secret. */
function valuesOf(seen: unknown, values: Set<string>): void {
  if (typeof seen === 'string' && seen.length >= SHORTEST && !TIMESTAMP.test(seen) && !MOUNT_ACCESSOR.test(seen)) values.add(seen)
  if (typeof seen !== 'object' || seen === null) return
  for (const [name, value] of Object.entries(seen)) if (!CLEAR.has(name)) valuesOf(value, values)
}

/** For the port that stands in for an API server. */
const REVIEW_URL = 'https://api.example'

const isOn = ({ options }: AnyTranscript, endpoints: string): boolean =>
  options?.listener?.includes(`disable_unauthed_${endpoints}_endpoints = false`) ?? false

/** A kernel whose requests and answers are looked at on their way. */
function watched(kernel: Kernel, values: Set<string>, paths: string[]): Kernel {
  const handle = async (request: KernelRequest) => {
    paths.push(request.path)
    valuesOf([request.headers, request.body], values)
    const answer = await kernel.handle(request)
    valuesOf(answer.body, values)
    return answer
  }
  return { handle, rootToken: kernel.rootToken } as unknown as Kernel
}

describe.skipIf(!transcriptsPresent)('transcripts, audited (skipped: the folder shared/transcripts is absent)', async () => {
  const all = await wanted()

  it('covers every area', () => {
    expect(all.length).toBeGreaterThan(150)
  })

  it.each(all)('%s', async (_, transcript) => {
    const entries: AuditEntry[] = []
    const clock = movingClock()
    const kernel = await createKernel({
      storage: memoryStorage(),
      seal: transcript.server === 'shamir' ? shamirSeal() : keySeal(new Uint8Array(32).fill(7)),
      initialize: transcript.server === 'dev',
      unauthenticated: { rekey: isOn(transcript, 'rekey'), generate_root: isOn(transcript, 'generate_root') },
      naming: { ciphertext_prefix: 'vault', header_prefix: 'X-Vault' },
      clock,
      ports: {
        pgp: openpgp(),
        tokenReviewer: reviewerAsApi(REVIEW_URL),
        audit: { sinks: { main: (entry) => void entries.push(entry) } },
      },
    })
    const wait = async (seconds: number) => {
      clock.advance(seconds * 1000)
      if (kernel.seal.state === 'open') await kernel.tick()
    }
    const vars = { root: kernel.rootToken, review_url: REVIEW_URL, dead_url: 'https://127.0.0.1:1' }
    const values = new Set<string>()
    const paths: string[] = []
    try {
      const results = await replayOn(watched(kernel, values, paths), transcript, { wait, vars })
      expect(results.filter(({ ok }) => !ok).map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
      const lines = entries.map(({ line }) => line)
      if (kernel.seal.state === 'open')
        expect(await verifyAudit(kernel, { sink: 'main', lines })).toEqual({
          ok: true,
          entries: lines.length,
          problems: [],
          more: false,
        })
      // What is in a path is a name, and stands in the clear.
      const hidden = [...values].filter((value) => !paths.some((path) => path.includes(value)))
      const shown = lines.map((line) => ({ line, values: hidden.filter((value) => line.includes(value)) }))
      expect(shown.filter(({ values }) => values.length > 0)).toEqual([])
      const asked = entries.filter(({ type }) => type === 'request').map(({ request }) => request.id)
      const answered = entries.filter(({ type }) => type === 'response').map(({ request }) => request.id)
      expect(new Set(asked).size).toBe(asked.length)
      // A request that is refused before anybody is asked who he is has no second entry.
      expect(answered.filter((id) => !asked.includes(id))).toEqual([])
      expect(
        entries.filter(({ error, type, request }) => type === 'request' && error === undefined && !answered.includes(request.id)),
      ).toEqual([])
    } finally {
      await kernel.close()
    }
  })
})
