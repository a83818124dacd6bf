export interface OperationDocs {
  /** By interface, method and HTTP status. */
  readonly refusals: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>
  /** By method, such as `transit.encrypt`. */
  readonly examples: ReadonlyMap<string, string>
}
export function operationDocs(root: string): OperationDocs
