import type { AuditPort, AuditSink, AuditSinkOptions, KernelOptions } from '../index.ts'
import type { AuditTail } from '../server/index.ts'

/**
 * Returns options whose first audit sink also feeds the tail. An entry is remembered after the sink has stored it. Without sinks, the
 * options are returned unchanged, and the tail remains empty.
 */
export function withAuditTail<O extends KernelOptions>(options: O, tail: AuditTail): O {
  const { sinks = {} } = options.ports?.audit ?? {}
  const [first] = Object.entries(sinks)
  if (!first) return options
  const [name, given] = first
  const audit = { ...options.ports?.audit, sinks: { ...sinks, [name]: tailed(given, tail) } }
  return { ...options, ports: { ...options.ports, audit } }
}

type GivenSink = NonNullable<AuditPort['sinks']>[string]

function tailed(given: GivenSink, tail: AuditTail): GivenSink {
  if (typeof given === 'function') return tail.around({ write: given })
  if ('sink' in given) return { ...given, sink: tailed(given.sink, tail) as AuditSinkOptions['sink'] }
  return tail.around(given as AuditSink)
}
