/** Permissive mutual TLS accepts unencrypted connections, so an entry may become permissive only if the mesh entry allows it. */
import { invalid } from '../../../core/base/errors.ts'
import { quoteText } from '../../../core/hcl/index.ts'
import type { GraphEntryReader } from './graph-entries.ts'

interface MutualTls {
  readonly MutualTLSMode?: string | undefined
}

/** An entry that is already permissive may remain so. @throws KernelError 400 */
export function validatePermissiveTls(
  entries: GraphEntryReader,
  kind: 'service-defaults' | 'proxy-defaults',
  name: string,
  before: MutualTls | undefined,
): void {
  if (entries.get(kind, name)?.MutualTLSMode !== 'permissive' || before?.MutualTLSMode === 'permissive') return
  if (!entries.get('mesh', 'mesh')?.AllowEnablingPermissiveMutualTLS)
    throw invalid(
      `the ${kind} ${quoteText(name)}: MutualTLSMode cannot become permissive unless the mesh entry sets AllowEnablingPermissiveMutualTLS`,
    )
}
