import { conflict, invalid } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { configOf, ensureConverted, type FoundKey, freshKey } from './key.ts'
import { KEY } from './key-record.ts'
import { dataId, type KvConfig, type SecretVersionInfo, VERSION_DATA } from './records.ts'
import { type SecretVersion, showVersion } from './show.ts'
import { sweepBelow } from './sweep.ts'
import { moveToPages } from './version-pages.ts'
import { withNextVersion } from './versions.ts'

/** @throws KernelError 400 if the check-and-set parameter is missing or does not match */
export function checkCas(found: FoundKey | undefined, config: KvConfig, cas: number | undefined): void {
  if (cas === undefined) {
    if (config.cas_required || found?.key.cas_required)
      throw invalid('options.cas: check-and-set parameter required for this call')
    return
  }
  const current = found?.key.current ?? 0
  if (cas !== current) throw conflict('options.cas: check-and-set parameter did not match the current version', current)
}

export function addSecretVersion(tx: Tx, path: string, found: FoundKey | undefined, text: string): SecretVersion {
  const config = configOf(tx)
  const before = found ? ensureConverted(tx, path, found) : freshKey(tx)
  const key = moveToPages(tx, withNextVersion(before, config, tx.now))
  tx.put(KEY, path, key)
  tx.put(VERSION_DATA, dataId(key.id, key.current), text)
  sweepBelow(tx, before, key)
  tx.secretChanged(path)
  return showVersion(key, key.current, key.recent.at(-1) as SecretVersionInfo)
}
