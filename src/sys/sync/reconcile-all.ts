/** Reconciles any number of associations, page by page. */
import type { LongWorkOptions } from '../../core/base/progress.ts'
import type { ReconcileArguments, ReconcileResult, SyncApi } from './generated/api.ts'

type Page = SyncApi['reconcile']

/** Selects the external secrets to compare. */
export type ReconcileScope = Omit<ReconcileArguments, 'after' | 'limit'>

const PER_PAGE = 240

/**
 * `onProgress` reports the number of compared external secrets.
 * @throws The error of the first page that fails; earlier pages remain reconciled.
 */
export async function* reconcilePages(
  page: Page,
  scope: ReconcileScope = {},
  { signal, onProgress }: LongWorkOptions = {},
): AsyncGenerator<ReconcileResult, void, undefined> {
  let done = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    signal?.throwIfAborted()
    const found: ReconcileResult = await page({ ...scope, after, limit: PER_PAGE })
    done += found.checked
    onProgress?.({ done })
    after = found.next
    yield found
  }
}

export async function reconcileAll(page: Page, scope?: ReconcileScope, options?: LongWorkOptions) {
  const drift: ReconcileResult['drift'][number][] = []
  let checked = 0
  for await (const found of reconcilePages(page, scope, options)) {
    checked += found.checked
    for (const each of found.drift) drift.push(each)
  }
  return { checked, drift }
}
