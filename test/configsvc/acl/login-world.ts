/** A configuration service with auth methods of type jwt, and logins to them. */
import { createConfigService, type OwnConfigService } from '../../../src/config-service.ts'
import { memoryStorage } from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'
import { P256, spkiPem, token } from '../../unit/core/jwt/tokens.ts'

export const MANAGEMENT = '3f6f1a52-6a58-4d6b-9d2b-0c9d5a3a7e11'

export type Json = Readonly<Record<string, unknown>>

export interface Answer {
  readonly status: number
  readonly body: unknown
}

export const CONFIG = { JWTValidationPubKeys: [spkiPem(P256)], JWTSupportedAlgs: ['ES256'] }

/** Maps each claim to a name, by default the same name. */
export const mapped = (claims: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(claims.map((name) => [name, name]))

export class LoginWorld implements AsyncDisposable {
  readonly clock = fakeClock()
  readonly service: OwnConfigService

  private constructor(service: OwnConfigService, clock: ReturnType<typeof fakeClock>) {
    this.service = service
    this.clock = clock
  }

  static async open(options: Partial<Parameters<typeof createConfigService>[0]> = {}): Promise<LoginWorld> {
    const clock = fakeClock()
    const acl = { bootstrapToken: MANAGEMENT }
    const service = await createConfigService({ storage: memoryStorage(), plaintext: true, clock, acl, ...options })
    return new LoginWorld(service, clock)
  }

  /** A request with the management token, unless another token or an empty one is given. */
  async ask(method: string, path: string, body?: unknown, secret: string | null = MANAGEMENT): Promise<Answer> {
    const headers = secret === null ? {} : { 'X-Config-Token': secret }
    const { status, body: answer } = await this.service.handle({
      method,
      path: `/v1/acl/${path}`,
      headers,
      ...(body === undefined ? {} : { body }),
    })
    return { status, body: answer }
  }

  /** Seconds. */
  get now(): number {
    return Math.floor(this.clock.now() / 1000)
  }

  bearer(claims: Json): string {
    return token('ES256', { iat: this.now, ...claims })
  }

  logIn(AuthMethod: string, claims: Json, more: Json = {}): Promise<Answer> {
    return this.ask('POST', 'login', { AuthMethod, BearerToken: this.bearer(claims), ...more }, null)
  }

  async method(Name: string, config: Json = {}, more: Json = {}): Promise<void> {
    const Config = { ...CONFIG, ...config }
    await this.service.authMethods.create({ Name, Type: 'jwt', Config, ...more })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.service.close()
  }
}
