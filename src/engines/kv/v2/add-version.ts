/** Adds a version to a key. */
import { invalid } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { configOf, converted, type Found, freshKey, NO_MARKS } from './key.ts'
import { type Config, DATA, dataId, KEY, type Mark, PAGE, PAGE_VERSIONS, pageId, pageOf } from './records.ts'
import { type SecretVersion, showVersion } from './show.ts'
import { sweepBelow } from './sweep.ts'
import { deletionTime, isKept, withNextVersion } from './versions.ts'

/** @throws KernelError 400 for a missing check-and-set parameter or a failed check. */
export function checkCas(found: Found | undefined, config: Config, cas: number | undefined): void {
  if (cas === undefined) {
    if (config.cas_required || found?.key.cas_required)
      throw invalid('options.cas: check-and-set parameter required for this call')
    return
  }
  if (cas !== (found?.key.current ?? 0)) throw invalid('options.cas: check-and-set parameter did not match the current version')
}

export function addVersion(tx: Tx, path: string, found: Found | undefined, text: string): SecretVersion {
  const config = configOf(tx)
  const before = found ? converted(tx, path, found) : freshKey(tx)
  const key = withNextVersion(before, config, tx.now)
  const mark: Mark = { created: tx.now, deletion: deletionTime(key, config, tx.now), state: 'kept' }
  const page = pageId(key.id, pageOf(key.current))
  const isFirst = (key.current - 1) % PAGE_VERSIONS === 0
  const marks = (isFirst ? undefined : tx.get(PAGE, page)) ?? NO_MARKS
  const kept = Object.entries(marks).filter(([version]) => isKept(key, Number(version)))
  tx.put(KEY, path, key)
  tx.put(PAGE, page, Object.fromEntries([...kept, [String(key.current), mark]]))
  tx.put(DATA, dataId(key.id, key.current), text)
  sweepBelow(tx, before, key)
  tx.changed(path)
  return showVersion(key, key.current, mark)
}
