/** Validates the audit port that the application passes. */
import type { AuditEntry } from '../contract/audit-entry.ts'
import type { AuditPort, AuditSink, AuditSinkOptions } from '../contract/audit-port.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** @throws TypeError if the port is invalid. */
export function checkAudit(port: AuditPort): void {
  if (typeof port !== 'object' || port === null) throw new TypeError('createKernel: ports.audit must be an object')
  for (const name of Object.keys(port))
    if (name !== 'sinks' && name !== 'factories') throw new TypeError(`createKernel: unknown member ports.audit.${name}`)
  for (const [name, given] of Object.entries(port.sinks ?? {})) {
    if (!NAME.test(name))
      throw new TypeError(
        'createKernel: ports.audit.sinks: names must consist of letters, digits, ".", "_" and "-", and begin with a letter or digit',
      )
    sinkOptions(name, given)
  }
  for (const [type, factory] of Object.entries(port.factories ?? {}))
    if (typeof factory !== 'function') throw new TypeError(`createKernel: ports.audit.factories.${type} must be a function`)
}

/**
 * The sink and its options as one object. The application may also pass only the sink, or only a function that writes an entry.
 * @throws TypeError
 */
export function sinkOptions(
  name: string,
  given: AuditSinkOptions | AuditSink | ((entry: AuditEntry) => void | Promise<void>),
): AuditSinkOptions & { readonly sink: AuditSink } {
  const options: AuditSinkOptions = typeof given === 'object' && given !== null && 'sink' in given ? given : { sink: given }
  const sink = typeof options.sink === 'function' ? { write: options.sink } : options.sink
  if (typeof sink?.write !== 'function') throw new TypeError(`createKernel: ports.audit.sinks.${name} has no method write`)
  return { ...options, sink }
}
