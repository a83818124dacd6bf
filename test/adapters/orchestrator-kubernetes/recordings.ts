/**
 * Recorded requests of OpenBao to the TokenReview API, with the answers and the results of the logins. The recordings are stored outside of
 * the repository.
 */
import { describeWithShared, readSharedJson } from '../../fixtures/shared-data.ts'
import type { ApiRequest } from '../../fixtures/token-review-api.ts'

const FILE = 'transcripts/openbao/golden/orchestrator-tokenreview.json'

/** Calls the suite only if the recordings are present. */
export const describeRecordings = (title: string, suite: () => void): void => describeWithShared(FILE, title, suite)

export interface Exchange {
  readonly name: string
  readonly host_path: string
  readonly token_reviewer_jwt?: string
  readonly jwt: string
  readonly request: Omit<ApiRequest, 'connection'>
  readonly response: { readonly status: number; readonly body: object | string }
  readonly login: { readonly status: number }
}

/** The exchanges with a review; the other logins were refused before it. */
export function reviewedExchanges(): readonly Exchange[] {
  const { exchanges } = readSharedJson<{ exchanges: readonly Exchange[] }>(FILE)
  return exchanges.filter(({ request }) => request !== undefined)
}

/** Every mode of the recorded API. One line may name several modes. */
export function recordedModes(): readonly string[] {
  const { modes } = readSharedJson<{ modes: Readonly<Record<string, string>> }>(FILE)
  return Object.keys(modes)
    .filter((name) => !name.startsWith('('))
    .flatMap((name) => name.split(', '))
}
