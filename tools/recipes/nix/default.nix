# For Nix: nix-build tools/recipes/nix
{ pkgs ? import <nixpkgs> { } }:
pkgs.stdenv.mkDerivation {
  pname = "wavelift";
  version = "1.0.0";
  src = pkgs.lib.cleanSource ../../..;
  nativeBuildInputs = with pkgs; [ cmake ninja pkg-config python3 ];
  buildInputs = with pkgs; [ llvmPackages_19.llvm zlib zstd xxHash elfutils ];
  # clang without Nix's wrapper: it compiles for no host, but for LLVM's bitcode and AMD's processors.
  cmakeFlags = [
    "-DWAVELIFT_TESTS=OFF"
    "-DLLVM_DIR=${pkgs.llvmPackages_19.llvm.dev}/lib/cmake/llvm"
    "-DWL_CLANG=${pkgs.llvmPackages_19.clang-unwrapped}/bin/clang"
    "-DWL_LLD=${pkgs.llvmPackages_19.lld}/bin/ld.lld"
    "-DWL_LLVM_LINK=${pkgs.llvmPackages_19.llvm}/bin/llvm-link"
  ];
  ninjaFlags = [ "installable" ];
  doCheck = false;
  doInstallCheck = true;
  installCheckPhase = "HOME=$TMPDIR $out/bin/wavelift doctor --only=run";
  meta = {
    description = "HIP runtime for machines without an AMD GPU";
    license = pkgs.lib.licenses.mit;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "wavelift";
  };
}
