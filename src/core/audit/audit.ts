/**
 * The audit devices: the sinks that the application gave and those enabled by request, kept up to date with the store.
 */
import type { Deadline } from '../base/deadline.ts'
import { KernelError } from '../base/errors.ts'
import type { Eventually } from '../base/eventually.ts'
import { base62 } from '../base/identifiers.ts'
import type { AuditFormat, AuditPort, AuditSink, AuditSinkOptions, AuditSinkRequest } from '../contract/audit-port.ts'
import type { TokenCaller } from '../contract/caller.ts'
import { Part } from '../contract/part.ts'
import { decodeRecord } from '../contract/record-kind.ts'
import { coreKey } from '../mount/topology.ts'
import type { Host } from '../transaction/host.ts'
import { Anchors } from './anchors.ts'
import { closeSink, Device } from './device.ts'
import { DEVICE, DEVICE_SECRET, type DeviceRecord, HEADER, type HeaderRecord } from './records.ts'
import { sinkSecret, storedSecret } from './secrets.ts'
import { sinkOptions } from './sink.ts'
import { Trail } from './trail.ts'

const DEVICES = coreKey(DEVICE)

const HEADERS = coreKey(HEADER)

export interface AuditParts {
  readonly host: Host
  readonly port: AuditPort
  readonly deadline: Deadline
  readonly identify: (token: string) => Eventually<TokenCaller | undefined>
  /** Called when a sink did not take an entry. */
  readonly failed: (sink: string) => void
}

/** A device and its source: the device stays while the source is unchanged. */
interface Opened {
  readonly device: Device
  /** The version of the record; 0 for a sink that the application gave. */
  readonly version: number
}

/** The audit log of the kernel that an operation runs in. */
export const AUDIT = /* @__PURE__ */ new Part<Audit>()

export class Audit {
  readonly #parts: AuditParts
  readonly #given: ReadonlyMap<string, AuditSinkOptions & { readonly sink: AuditSink }>
  readonly anchors: Anchors
  #opened: ReadonlyMap<string, Opened> = new Map()
  #trail: Trail | undefined
  #changed = false
  #loading: Promise<void> | undefined

  constructor(parts: AuditParts) {
    this.#parts = parts
    this.anchors = new Anchors(parts.host)
    this.#given = new Map(Object.entries(parts.port.sinks ?? {}).map(([name, given]) => [name, sinkOptions(name, given)]))
    parts.host.cache.onChange(({ keys }) => {
      if (!keys || keys.some((key) => key.startsWith(DEVICES) || key.startsWith(HEADERS))) this.#changed = true
    })
  }

  /** Undefined where nothing is audited. */
  get trail(): Trail | undefined {
    return this.#trail
  }

  /** The sinks that the application gave, by name. */
  get given(): ReadonlyMap<string, AuditSinkOptions> {
    return this.#given
  }

  device(name: string): Device | undefined {
    return this.#opened.get(name)?.device
  }

  /** Undefined when the devices are up to date, as nearly always; otherwise resolves when they are. */
  fresh(): Promise<void> | undefined {
    if (!this.#changed && !this.#loading) return undefined
    this.#loading ??= this.#load(false).finally(() => {
      this.#loading = undefined
    })
    return this.#loading.then(() => this.fresh())
  }

  /** Called before the first request. @throws KernelError ERR_AUDIT for a sink that cannot be opened: no request may run then. */
  open(): Promise<void> {
    return this.#load(true)
  }

  /** Whether a sink of that type can be made, and opened. @throws KernelError 400 */
  async probe(type: string, request: AuditSinkRequest): Promise<void> {
    try {
      const sink = this.#make(type, request)
      await this.#open(sink, true)
      await closeSink(sink, this.#parts.deadline)
    } catch (cause) {
      throw cause instanceof KernelError
        ? cause
        : new KernelError('ERR_INVALID_REQUEST', 'options: the sink cannot be opened', { cause })
    }
  }

  /** Whether the application gave a factory of that type. */
  makes(type: string): boolean {
    return Object.hasOwn(this.#parts.port.factories ?? {}, type)
  }

  /** Called when the kernel is sealed: requests under way still write, and the last of them wipes the keys. */
  retire(): Promise<void> {
    const devices = [...this.#opened.values()].map(({ device }) => device)
    const anchored = this.anchors.end(devices)
    for (const device of devices) device.retire()
    this.#opened = new Map()
    this.#trail = undefined
    this.#changed = false
    return anchored
  }

  async #load(first: boolean): Promise<void> {
    this.#changed = false
    const opened = new Map<string, Opened>()
    try {
      const { store, clock, env } = this.#parts.host
      const records = await store.scan(DEVICES, () => true)
      if (records.length === 0 && this.#given.size === 0) return this.#keep(opened, undefined)
      for (const [name, options] of this.#given) opened.set(name, await this.#openGiven(name, options))
      for (const { key, version, value } of records) {
        const name = key.slice(DEVICES.length)
        if (!opened.has(name))
          opened.set(name, await this.#openStored(name, version, decodeRecord(DEVICE, value as Uint8Array), first))
      }
      const headers = await store.scan(HEADERS, () => true)
      const { identify } = this.#parts
      const devices = [...opened.values()].map(({ device }) => device)
      await this.anchors.begin(devices)
      const trail = new Trail({
        devices,
        headers: new Map(
          headers.map(({ key, value }) => [key.slice(HEADERS.length), decodeRecord<HeaderRecord>(HEADER, value as Uint8Array)]),
        ),
        clock,
        entropy: env.entropy,
        identify,
        written: (device, failure) => this.#written(device, failure),
      })
      this.#keep(opened, trail)
    } catch (error) {
      this.#changed = true
      // Devices that were opened but are not used are closed again.
      for (const [name, { device }] of opened) if (device !== this.device(name)) device.retire()
      throw error
    }
  }

  #keep(opened: ReadonlyMap<string, Opened>, trail: Trail | undefined): void {
    const kept = new Set([...opened.values()].map(({ device }) => device))
    for (const { device } of this.#opened.values()) {
      if (kept.has(device)) continue
      void this.anchors.end([device])
      device.retire()
    }
    this.#opened = opened
    this.#trail = trail
  }

  async #openGiven(name: string, options: AuditSinkOptions & { readonly sink: AuditSink }): Promise<Opened> {
    const known = this.#opened.get(name)
    if (known?.version === 0) return known
    try {
      await this.#open(options.sink, false)
    } catch (cause) {
      throw cannotOpen(name, cause)
    }
    const secret = await sinkSecret(this.#parts.host, name)
    return { version: 0, device: this.#device(name, name, secret, options, options.required === true, false) }
  }

  /** A device that cannot be opened counts as one that takes no entries; only at the beginning it is an error. */
  async #openStored(name: string, version: number, record: DeviceRecord, first: boolean): Promise<Opened> {
    const known = this.#opened.get(name)
    if (known?.version === version) return known
    const { id, type, options } = record
    const request = { path: `${name}/`, options }
    let sink: AuditSink
    try {
      sink = this.#make(type, request)
      await this.#open(sink, true)
    } catch (cause) {
      const error = cannotOpen(name, cause)
      if (first) throw error
      sink = lost(error)
    }
    const secret = await storedSecret(this.#parts.host, DEVICE_SECRET, id)
    if (!secret) throw new KernelError('ERR_INTERNAL', `the store has no secret of the audit device ${name}/`)
    return { version, device: this.#device(name, id, secret, { sink, ...formatOf(options) }, false, true) }
  }

  #device(
    name: string,
    owner: string,
    secret: Uint8Array,
    options: AuditFormat & { readonly sink: AuditSink },
    required: boolean,
    own: boolean,
  ): Device {
    const { deadline, host } = this.#parts
    const { clock, env } = host
    const chain = base62(env.entropy, 16)
    const device = new Device({ ...options, name, owner, required, own, chain, secret, crypto: env.crypto, clock, deadline })
    secret.fill(0)
    return device
  }

  #make(type: string, request: AuditSinkRequest): AuditSink {
    const factories = this.#parts.port.factories ?? {}
    const factory = Object.hasOwn(factories, type) ? factories[type] : undefined
    if (!factory) throw new TypeError('there is no factory of this type')
    const made: AuditSink | undefined = factory(request)
    if (typeof made?.write === 'function') return made
    // A promise is no sink; its outcome is ignored.
    Promise.resolve(made as unknown).catch(() => {})
    throw new TypeError('the factory made something that is no sink')
  }

  /** @param own Whether the kernel made the sink, and closes it where it opens too late. */
  #open(sink: AuditSink, own: boolean): Promise<void> {
    const { deadline } = this.#parts
    const late = () => own && closeSink(sink, deadline)
    return deadline.ask<void>({ what: 'an audit sink', ask: (signal) => sink.open?.(signal), late })
  }

  #written(device: Device, failure: unknown): void {
    if (failure === undefined) this.anchors.note(device)
    else this.#parts.failed(device.name)
  }
}

const cannotOpen = (name: string, cause: unknown): KernelError =>
  new KernelError('ERR_AUDIT', `the audit sink ${name} cannot be opened: ports.audit has no factory of its type, or it refused`, {
    cause,
    details: { committed: false },
  })

const lost = (error: unknown): AuditSink => ({
  write: () => {
    throw error
  },
})

/** Options of a device are texts. */
export const formatOf = (options: Readonly<Record<string, string>>): AuditFormat => ({
  log_raw: options['log_raw'] === 'true',
  hmac_accessor: options['hmac_accessor'] !== 'false',
  elide_list_responses: options['elide_list_responses'] === 'true',
})
