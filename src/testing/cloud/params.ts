/**
 * Parameters of a request, as a flat list of names like `Tags.member.1.Key` (AWS's query protocol), with AWS's validation rules.
 */
import { AwsRefusal } from './refusal.ts'

export type QueryParams = Readonly<Record<string, string>>

interface Rule {
  readonly min?: number
  readonly max: number
  readonly form?: RegExp
}

const NAME = /^[\w+=,.@-]*$/

export const PARAMETER_RULES = {
  UserName: { min: 1, max: 64, form: NAME },
  GroupName: { min: 1, max: 128, form: NAME },
  PolicyName: { min: 1, max: 128, form: NAME },
  Path: { min: 1, max: 512, form: /^\/$|^\/[\x21-\x7e]+\/$/ },
  PolicyArn: { min: 20, max: 2048 },
  PermissionsBoundary: { min: 20, max: 2048 },
  // The minimum length of an access key id. AWS requires 16 characters, but the fake accepts shorter ids because without options it accepts
  // any key.
  AccessKeyId: { min: 1, max: 128, form: /^\w*$/ },
  Status: { min: 6, max: 8, form: /^(Active|Inactive)$/ },
  RoleArn: { min: 20, max: 2048 },
  RoleSessionName: { min: 2, max: 64, form: NAME },
  Name: { min: 2, max: 32, form: NAME },
  PolicyDocument: { min: 1, max: 131_072 },
  Policy: { min: 1, max: 131_072 },
} satisfies Record<string, Rule>

export const validation = (message: string): AwsRefusal => new AwsRefusal('ValidationError', message)

export function optional(params: QueryParams, name: keyof typeof PARAMETER_RULES): string | undefined {
  const value = params[name]
  if (value === undefined) return undefined
  const { min, max, form }: Rule = PARAMETER_RULES[name]
  if (value.length < (min ?? 0) || value.length > max || (form && !form.test(value)))
    throw validation(`1 validation error detected: value at '${name}' failed to satisfy constraint`)
  return value
}

export function required(params: QueryParams, name: keyof typeof PARAMETER_RULES): string {
  const value = optional(params, name)
  if (value === undefined)
    throw validation(`1 validation error detected: value at '${name}' failed to satisfy constraint: not null`)
  return value
}

/** Returns the values of a list whose parameters end with `suffix`, as in `PolicyArns.member.1.arn`. */
export function members(params: QueryParams, list: string, suffix: string): string[] {
  const found: string[] = []
  for (let at = 1; ; at++) {
    const value = params[`${list}.member.${at}${suffix}`]
    if (value === undefined) return found
    found.push(value)
  }
}

export function integer(params: QueryParams, name: string, otherwise: number): number {
  const text = params[name] ?? String(otherwise)
  if (!/^-?\d{1,10}$/.test(text)) throw validation(`${name} is not an integer`)
  return Number(text)
}
