/** The part of `node-vault-client` that the tests use. The package has no types. */
declare module 'node-vault-client' {
  interface Lease {
    getValue(key: string): unknown
    getData(): unknown
  }
  export default class VaultClient {
    constructor(options: {
      readonly api: { readonly url: string }
      readonly auth: { readonly type: 'token'; readonly config: { readonly token: string } }
      readonly logger?: false
    })
    read(path: string): Promise<Lease>
    list(path: string): Promise<Lease>
    write(path: string, data: object): Promise<unknown>
  }
}
