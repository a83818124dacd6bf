/** Keeps the audit devices in agreement with the store. A device is either a sink of the application or was enabled by a request. */
import type { MaybePromise } from '../base/maybe-promise.ts'
import type { AuditSink, AuditSinkOptions } from '../contract/audit-port.ts'
import type { TokenCaller } from '../contract/caller.ts'
import { KernelService } from '../contract/kernel-service.ts'
import { decodeRecord } from '../contract/record-kind.ts'
import { coreKeyPrefix } from '../transaction/core-key.ts'
import { Anchors } from './anchors.ts'
import type { AuditedRequest } from './audit-basis.ts'
import type { AuditWriter } from './audit-log.ts'
import type { Device } from './device.ts'
import { DeviceOpener, type DeviceOpenerParts, type OpenedDevice } from './device-opener.ts'
import { RequestRecord } from './record-request.ts'
import { DEVICE, HEADER, type HeaderRecord } from './records.ts'
import { sinkOptions } from './sink.ts'
import { Trail } from './trail.ts'

const DEVICES = coreKeyPrefix(DEVICE)

const HEADERS = coreKeyPrefix(HEADER)

interface AuditParts extends DeviceOpenerParts {
  readonly identify: (token: string) => MaybePromise<TokenCaller | undefined>
  /** Called if a sink did not store an entry. */
  readonly failed: (sink: string) => void
}

/** An open device. It is kept open until the version of its record changes. */
interface Opened extends OpenedDevice {
  /** The version of the device's record; 0 for a sink of the application. */
  readonly version: number
}

/** The audit log of the current kernel. */
export const AUDIT = /* @__PURE__ */ new KernelService<Audit>()

export class Audit implements AuditWriter {
  readonly #parts: AuditParts
  readonly #given: ReadonlyMap<string, AuditSinkOptions & { readonly sink: AuditSink }>
  readonly anchors: Anchors
  readonly opener: DeviceOpener
  #opened: ReadonlyMap<string, Opened> = new Map()
  #trail: Trail | undefined
  #changed = false
  #loading: Promise<void> | undefined

  constructor(parts: AuditParts) {
    this.#parts = parts
    this.anchors = new Anchors(parts.host)
    this.opener = new DeviceOpener(parts)
    this.#given = new Map(Object.entries(parts.port.sinks ?? {}).map(([name, given]) => [name, sinkOptions(name, given)]))
    parts.host.cache.onChange(({ keys }) => {
      if (!keys || keys.some((key) => key.startsWith(DEVICES) || key.startsWith(HEADERS))) this.#changed = true
    })
  }

  get trail(): Trail | undefined {
    return this.#trail
  }

  get unopened(): readonly string[] {
    return [...this.#opened].flatMap(([name, { isLost }]) => (isLost ? [name] : []))
  }

  /** The sinks of the application, keyed by name. */
  get given(): ReadonlyMap<string, AuditSinkOptions> {
    return this.#given
  }

  begin(trail: Trail, request: AuditedRequest, path: string): RequestRecord {
    return new RequestRecord(trail, request, path)
  }

  device(name: string): Device | undefined {
    return this.#opened.get(name)?.device
  }

  fresh(): Promise<void> | undefined {
    if (!this.#changed && !this.#loading) return undefined
    this.#loading ??= this.#load(false).finally(() => {
      this.#loading = undefined
    })
    return this.#loading.then(() => this.fresh())
  }

  /**
   * Opens all devices. Called before the first request.
   * @throws KernelError ERR_AUDIT if a sink cannot be opened; then no request may run.
   */
  open(): Promise<void> {
    return this.#load(true)
  }

  anchor(): Promise<void> {
    return this.anchors.anchor()
  }

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
      // A DR secondary does not open the primary's devices, because their files and sockets are on the primary's machines.
      const records = store.commits.isMirror ? [] : await store.scan(DEVICES, () => true)
      if (records.length === 0 && this.#given.size === 0) return this.#keep(opened, undefined)
      for (const [name, options] of this.#given)
        opened.set(name, await this.#kept(name, 0, () => this.opener.given(name, options)))
      for (const { key, version, value } of records) {
        const name = key.slice(DEVICES.length)
        const open = () => this.opener.stored(name, decodeRecord(DEVICE, value as Uint8Array), first)
        if (!opened.has(name)) opened.set(name, await this.#kept(name, version, open))
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
      // Close the devices that this call opened and that are not used now.
      for (const [name, { device }] of opened) if (device !== this.device(name)) device.retire()
      throw error
    }
  }

  /** Returns the open device if its record still has this version. Otherwise opens the device. */
  async #kept(name: string, version: number, open: () => Promise<OpenedDevice>): Promise<Opened> {
    const known = this.#opened.get(name)
    return known?.version === version ? known : { version, ...(await open()) }
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

  #written(device: Device, failure: unknown): void {
    if (failure === undefined) this.anchors.note(device)
    else this.#parts.failed(device.name)
  }
}
