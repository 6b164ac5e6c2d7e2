export interface Platform {
  name: string
  os: string
  cpu: string
  libc?: string
  target: string
}
export const platforms: readonly Platform[]
export function platformName(os: string, cpu: string, isMusl: boolean): string
export function addonNameOf(name: string): string
export function packageNameOf(name: string): string
export const platform: string
export const addonName: string
export const prebuiltPackage: string
export function loadAddon(load: (place: string) => unknown, name?: string): unknown
