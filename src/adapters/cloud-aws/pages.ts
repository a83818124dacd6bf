/**
 * Whole lists.
 */
import { AwsError } from './failure.ts'
import type { PagedOutput } from './sdk.ts'

/** Things a page at most, as IAM allows. It may give fewer. */
export const MAX_PAGE_ITEMS = 1000

/** IAM has no list that is as long as one of these bounds, so a longer one has no end. */
const MAX_PAGES = 1000
const MAX_LIST_ITEMS = 10_000

/** @throws AwsError `unknown` where the list has no end. */
export async function allPages<P extends PagedOutput, T>(
  ask: (marker: { readonly Marker?: string }) => Promise<P>,
  itemsOf: (page: P) => readonly T[] | undefined,
): Promise<readonly T[]> {
  const items: T[] = []
  let marker: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await ask(marker === undefined ? {} : { Marker: marker })
    items.push(...(itemsOf(page) ?? []))
    if (items.length > MAX_LIST_ITEMS) break
    if (page.IsTruncated !== true) return items
    if (page.Marker === undefined || page.Marker === '' || page.Marker === marker) break
    marker = page.Marker
  }
  throw new AwsError('unknown', 'EndlessList')
}
