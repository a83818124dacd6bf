/**
 * Replays a transcript on a kernel with an audit sink. The answers equal the recorded ones, every audited request has its entries, the hash
 * chain is valid, and the log contains no long value of a request or answer, such as a token, secret, share, plaintext or ciphertext.
 */
import { expect } from 'vitest'
import { openpgp } from '../../src/adapters/pgp-openpgp/index.ts'
import {
  type AuditEntry,
  createKernel,
  type Kernel,
  type KernelOptions,
  type KernelRequest,
  keySeal,
  memoryStorage,
  shamirSeal,
  verifyAudit,
} from '../../src/index.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { reviewerAsApi } from '../fixtures/token-review-api.ts'
import { NAMING, replayOn, type StepResult, type Transcript } from './harness.ts'

/** Shorter values are words that the transcript has chosen, which may also be part of names. */
const MIN_SECRET_LENGTH = 20

/** The accessor of a mount, which is in the clear in every audit entry about the mount. */
const MOUNT_ACCESSOR = /^auth_[a-z]+_[0-9a-f]{8}$/
const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/

/** Fields that Vault logs in the clear (core reference, audit). */
const CLEAR = new Set([
  ...['error', 'errors', 'warnings', 'request_id', 'lease_id', 'entity_id', 'path', 'paths', 'creation_path'],
  // A refusal contains the nonce of the current attempt, and a backup contains PGP fingerprints.
  ...['nonce', 'verification_nonce', 'pgp_fingerprints'],
  // A login copies these to the alias of the caller.
  ...['metadata', 'meta', 'aliases'],
])

/** Adds every long text that may be a secret. */
function collectValues(seen: unknown, values: Set<string>): void {
  if (typeof seen === 'string' && seen.length >= MIN_SECRET_LENGTH && !TIMESTAMP.test(seen) && !MOUNT_ACCESSOR.test(seen))
    values.add(seen)
  if (typeof seen !== 'object' || seen === null) return
  for (const [name, value] of Object.entries(seen)) if (!CLEAR.has(name)) collectValues(value, values)
}

/** The API server at this address is replaced by a fake port. */
export const REVIEW_URL = 'https://api.example'
/** No server listens at port 1. */
export const DEAD_URL = 'https://127.0.0.1:1'

const isOn = ({ options }: Transcript, endpoints: string): boolean =>
  options?.listener?.includes(`disable_unauthed_${endpoints}_endpoints = false`) ?? false

/** Collects the values and paths of all requests and answers. */
function observed(kernel: Kernel, values: Set<string>, paths: string[]): Pick<Kernel, 'handle' | 'rootToken'> {
  const handle = async (request: KernelRequest) => {
    paths.push(request.path)
    collectValues([request.headers, request.body], values)
    const answer = await kernel.handle(request)
    collectValues(answer.body, values)
    return answer
  }
  return { handle, rootToken: kernel.rootToken }
}

async function replay(
  transcript: Transcript,
  ports: KernelOptions['ports'],
  observe: (kernel: Kernel) => Pick<Kernel, 'handle' | 'rootToken'>,
  inspect: (kernel: Kernel) => Promise<void>,
): Promise<readonly StepResult[]> {
  const clock = movingClock()
  const kernel = await createKernel({
    storage: memoryStorage(),
    seal: transcript.server === 'shamir' ? shamirSeal() : keySeal(new Uint8Array(32).fill(7)),
    initialize: transcript.server === 'dev',
    unauthenticated: { rekey: isOn(transcript, 'rekey'), generateRoot: isOn(transcript, 'generate_root') },
    naming: NAMING,
    clock,
    ports: { pgp: openpgp(), tokenReviewer: reviewerAsApi(REVIEW_URL), ...ports },
  })
  const wait = async (seconds: number) => {
    clock.advance(seconds * 1000)
    if (kernel.seal.state === 'open') await kernel.tick()
  }
  const vars = { root: kernel.rootToken, review_url: REVIEW_URL, dead_url: DEAD_URL }
  try {
    const results = await replayOn(observe(kernel), transcript, { wait, vars })
    await inspect(kernel)
    return results
  } finally {
    await kernel.close()
  }
}

export const replayWithoutSink = (transcript: Transcript): Promise<readonly StepResult[]> =>
  replay(
    transcript,
    {},
    (kernel) => kernel,
    async () => {},
  )

export function replayAudited(transcript: Transcript): Promise<readonly StepResult[]> {
  const entries: AuditEntry[] = []
  const values = new Set<string>()
  const paths: string[] = []
  const ports = { audit: { sinks: { main: (entry: AuditEntry) => void entries.push(entry) } } }
  return replay(
    transcript,
    ports,
    (kernel) => observed(kernel, values, paths),
    (kernel) => expectSoundLog(kernel, entries, values, paths),
  )
}

async function expectSoundLog(
  kernel: Kernel,
  entries: readonly AuditEntry[],
  values: ReadonlySet<string>,
  paths: readonly string[],
): Promise<void> {
  const lines = entries.map(({ line }) => line)
  if (kernel.seal.state === 'open')
    expect(await verifyAudit(kernel, { sink: 'main', lines })).toEqual({
      ok: true,
      entries: lines.length,
      problems: [],
      more: false,
    })
  // A value that is part of a path is a name, which the log contains in the clear.
  const path = paths.join('\n')
  const hidden = [...values].filter((value) => !path.includes(value))
  const log = lines.join('\n')
  const shown = hidden.filter((value) => log.includes(value))
  expect(shown.map((value) => ({ value, line: lines.find((line) => line.includes(value)) }))).toEqual([])
  const requestIds = entries.filter(({ type }) => type === 'request').map(({ request }) => request.id)
  const answered = new Set(entries.filter(({ type }) => type === 'response').map(({ request }) => request.id))
  expect(new Set(requestIds).size).toBe(requestIds.length)
  // A request that is refused before its caller is identified has only one entry.
  expect([...answered].filter((id) => !requestIds.includes(id))).toEqual([])
  expect(
    entries.filter(({ error, type, request }) => type === 'request' && error === undefined && !answered.has(request.id)),
  ).toEqual([])
}
