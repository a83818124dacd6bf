/** Permissive mutual TLS accepts unencrypted connections, so the mesh entry has to allow it first. */
import { invalid } from '../../../core/base/errors.ts'
import { quoteText } from '../../../core/hcl/index.ts'
import type { GraphEntryReader } from './graph-entries.ts'

interface MutualTls {
  readonly MutualTLSMode?: string | undefined
}

/** An entry that was permissive before may stay so. @throws KernelError 400 */
export function validatePermissiveTls(
  entries: GraphEntryReader,
  kind: 'service-defaults' | 'proxy-defaults',
  name: string,
  before: MutualTls | undefined,
): void {
  if (entries.get(kind, name)?.MutualTLSMode !== 'permissive' || before?.MutualTLSMode === 'permissive') return
  if (!entries.get('mesh', 'mesh')?.AllowEnablingPermissiveMutualTLS)
    throw invalid(
      `the ${kind} ${quoteText(name)}: MutualTLSMode cannot become permissive as long as the mesh entry does not set AllowEnablingPermissiveMutualTLS`,
    )
}
