/**
 * Replays recordings of a live OpenBao against a kernel. `test/fixtures/shared-data.ts` locates the recordings.
 */
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Kernel } from '../../src/index.ts'
import { describeIfShared, noteSharedData, sharedUrl } from '../fixtures/shared-data.ts'

const FOLDER = 'transcripts/openbao/'

/** The names that OpenBao uses, and so the recordings. */
export const NAMING = { ciphertextPrefix: 'vault', headerPrefix: 'X-Vault' }

export interface StepResult {
  readonly step: number
  readonly request: string
  readonly ok: boolean
  readonly problems: readonly string[]
  readonly skipped?: string
  readonly passes?: boolean
}

export interface Transcript {
  readonly file: string
  /** The area and the file name without its extension: `core/tokens`. */
  readonly name: string
  readonly title: string
  /** The initial state: an open kernel, or an uninitialized one with a manual or automatic seal. */
  readonly server: 'dev' | 'shamir' | 'auto'
  readonly steps: readonly unknown[]
  /** Servers that the transcript requires. */
  readonly needs?: object | string
  readonly options?: { readonly listener?: string }
}

/** For `it.each`: the name is the title. */
export type NamedTranscript = readonly [name: string, transcript: Transcript]

/** Whether a transcript requires PostgreSQL; those are replayed in `database.slow.test.ts`. */
export const needsDatabase = ({ needs }: Transcript): boolean => typeof needs === 'object' && 'postgresql' in needs

/**
 * OpenBao encrypts convergently with a nonce that does not depend on the associated data, so two such ciphertexts allow forgeries. This
 * kernel decrypts such ciphertexts but does not create them.
 */
const NONCE = 'associated data has a say in the nonce'

/** OpenBao leaves the keys of such a user active. */
const DISARMED = 'a user that could not be removed is denied everything, and its keys are inactive'

/** Vault and OpenBao leave the login of a user active if its revocation statements fail. */
const LOCKED = 'a user whose revocation failed has no login until it is removed'

/** Without a policy, the session would have all permissions of the assumed role, although the role specifies groups to limit it. */
const UNLIMITED = 'a session whose groups have no policies is refused'

/** Vault and OpenBao store such a policy without a warning. */
const UNMATCHED = 'a path that no request can match is warned of'

/** Some tools mark ordinary RSA keys for PSS; OpenBao refuses such public keys. */
const RESTRICTED = 'an RSA public key that is restricted to PSS is imported, with a warning'

const skipped = (reason: string, ...steps: readonly number[]): Readonly<Record<number, string>> =>
  Object.fromEntries(steps.map((step) => [step, reason]))

/** Steps with other answers than the recorded ones, by transcript. They run anyway, and a step that passes is an error. */
const ANSWERED_OTHERWISE: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'cloud/creds-groups': skipped(UNLIMITED, 4),
  'cloud/leases': skipped(DISARMED, 42),
  'database/creds-revocation': skipped(LOCKED, 13, 47),
  'core/policies-malformed': skipped(UNMATCHED, 29),
  'transit/asym-import-public-refused': skipped(RESTRICTED, 10, 35),
  'transit/sym-known': skipped(NONCE, 24, 27, 30, 33),
}

interface Replayer {
  loadTranscripts(folder: string): readonly Transcript[]
  kernelCaller(kernel: Pick<Kernel, 'handle'>): unknown
  replay(transcript: Transcript, options: Readonly<Record<string, unknown>>): Promise<readonly StepResult[]>
}

const loadReplayer = (): Promise<Replayer> => import(sharedUrl('transcripts/replay.mjs').href) as Promise<Replayer>

/** Runs the suite only if the recordings are present. */
export const describeTranscripts = (title: string, suite: () => Promise<void>): void => describeIfShared(FOLDER, title, suite)

export async function loadTranscripts(...areas: readonly string[]): Promise<readonly NamedTranscript[]> {
  const { loadTranscripts: load } = await loadReplayer()
  return areas.flatMap((area) =>
    load(fileURLToPath(sharedUrl(`${FOLDER}${area}/`))).map((transcript) => {
      const name = `${area}/${transcript.file.replace('.json', '')}`
      return [name, { ...transcript, name }] as const
    }),
  )
}

/** Replays the transcript and fails unless every step gets the recorded answer. */
export async function replayOn(
  kernel: Pick<Kernel, 'handle' | 'rootToken'>,
  transcript: Transcript,
  { skip: skippedToo, ...options }: Readonly<Record<string, unknown>>,
): Promise<readonly StepResult[]> {
  const { kernelCaller, replay } = await loadReplayer()
  const skip = { ...ANSWERED_OTHERWISE[transcript.name], ...(skippedToo as object | undefined) }
  const results = await replay(transcript, { call: kernelCaller(kernel), vars: { root: kernel.rootToken }, ...options, skip })
  noteSharedData(`${FOLDER}${transcript.name}.json`)
  const failed = results
    .map((result) => (result.passes ? { ...result, ok: false, problems: ['passes, and need not be left out'] } : result))
    .filter(({ ok }) => !ok)
  expect(failed.map(({ step, request, problems }) => ({ step, request, problems }))).toEqual([])
  return results
}

/** Expects that the steps with another nonce differ only in the ciphertext. */
export function expectOtherNonces(results: readonly StepResult[]): void {
  for (const { passes, problems } of results.filter(({ skipped: reason }) => reason === NONCE)) {
    expect(passes).toBe(false)
    expect(problems).toEqual([expect.stringContaining('/data/ciphertext is ')])
  }
}
