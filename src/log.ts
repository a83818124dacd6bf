/** `strongroom/log`: writes the events that operators need to a logger. */
import type { EventType, KernelEvent } from './core/contract/event.ts'

/** A logger such as pino, or `console`. */
export interface Logger {
  info(data: object, message: string): void
  warn(data: object, message: string): void
  error(data: object, message: string): void
}

/** The part of a kernel that the log needs. Every kernel of this package has it. */
export interface LoggedKernel {
  readonly events: {
    on(type: '*', listener: (event: KernelEvent) => unknown, options: { readonly lost: (lost: number) => void }): () => void
  }
  toJSON(): { readonly state: string }
}

type Level = keyof Logger

/** All other events are not logged: they belong to requests, and the audit log has them. */
const LEVELS: Readonly<Partial<Record<EventType, Level>>> = {
  'audit.failed': 'error',
  'lease.irrevocable': 'error',
  'replication.diverged': 'error',
  'login.refused': 'warn',
  'work.failed': 'warn',
  'audit.disabled': 'info',
  'audit.enabled': 'info',
  'barrier.rotated': 'info',
  'kernel.closed': 'info',
  'kernel.sealed': 'info',
  'kernel.unsealed': 'info',
  'mount.disabled': 'info',
  'mount.enabled': 'info',
  'mount.moved': 'info',
  'mount.tuned': 'info',
  'namespace.created': 'info',
  'namespace.deleted': 'info',
  'replication.mode_changed': 'info',
  'replication.state_changed': 'info',
}

const levelOf = (type: string): Level | undefined => {
  if (type.endsWith('.rotation_failed')) return 'error'
  return LEVELS[type as EventType] ?? (type.endsWith('.rotated') ? 'info' : undefined)
}

/** @throws TypeError for a logger without the methods `info`, `warn` and `error`. */
export function validateLogger(logger: Logger): void {
  for (const level of ['info', 'warn', 'error'] as const)
    if (typeof logger?.[level] !== 'function') throw new TypeError(`logger: has no method ${level}`)
}

/**
 * Logs the state of a kernel, and from now on its events about its state, rotations, replication, failed work and refused logins. The data
 * of an entry is the event, which contains names, but neither secrets nor tokens. Errors of the logger are ignored.
 * @returns A function that stops logging.
 * @throws TypeError for a logger without the methods `info`, `warn` and `error`.
 * @example
 * const stop = logTo(kernel, pino())
 */
export function logTo(kernel: LoggedKernel, logger: Logger): () => void {
  validateLogger(logger)
  const write = (level: Level, data: object, text: string): void => {
    try {
      logger[level](data, `strongroom: ${text}`)
    } catch {
      // A failing logger must not affect the kernel.
    }
  }
  const log = (event: KernelEvent): void => {
    const level = levelOf(event.type)
    if (level) write(level, event, event.type)
  }
  const stop = kernel.events.on('*', log, { lost: (lost) => write('warn', { type: 'events.lost', lost }, 'events.lost') })
  const { state } = kernel.toJSON()
  write('info', { state }, `the kernel is ${state}`)
  return stop
}
