import type { KernelOptions } from '../index.ts'

/** Opens the files of all audit sinks and factories again, as log rotation needs it after a file was renamed. */
export function reopenAuditFiles({ ports }: Pick<KernelOptions, 'ports'>): void {
  const { sinks = {}, factories = {} } = (ports?.audit ?? {}) as Readonly<Record<string, object>>
  for (const sink of [...Object.values(sinks), ...Object.values(factories)]) if (hasReopen(sink)) sink.reopen()
}

const hasReopen = (sink: unknown): sink is { reopen(): void } =>
  sink !== null && ['object', 'function'].includes(typeof sink) && typeof (sink as { reopen?: unknown }).reopen === 'function'
