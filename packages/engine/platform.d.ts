export interface Platform {
  name: string
  os: string
  cpu: string
  libc?: string
  target: string
}
export const platforms: readonly Platform[]
export function platformName(os: string, cpu: string, isMusl: boolean): string
export function addonNameFor(name: string): string
export function packageNameFor(name: string): string
export const platform: string
export const addonName: string
export const prebuiltPackage: string
export function loadAddon(load: (specifier: string) => unknown, name?: string): unknown
