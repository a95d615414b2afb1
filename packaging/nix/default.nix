# SPDX-License-Identifier: BSD-3-Clause
# The programs of Pollux for libgomp, with the packages of nixpkgs: nix-build packaging/nix in the unpacked archive.
{ pkgs ? import <nixpkgs> { } }:

let
  # The build with OpenMP is refused: its threads would be in the way of tasks.
  openblas = pkgs.openblas.overrideAttrs (old: {
    makeFlags = old.makeFlags ++ [ "USE_OPENMP=0" ];
  });
in
pkgs.stdenv.mkDerivation {
  pname = "pollux-libgomp";
  version = "0.1.0";
  src = ../..;

  nativeBuildInputs = with pkgs; [ cmake ninja pkg-config ];
  buildInputs = [ openblas ] ++ (with pkgs; [ fftw hwloc jansson random123 ]);

  cmakeFlags = [
    "-DCMAKE_TOOLCHAIN_FILE=${../../cmake/toolchains}/libgomp.cmake"
    "-DOpenBLAS_ROOT=${openblas}"
    "-DPOLLUX_LABEL=libgomp"
  ];

  doInstallCheck = true;
  installCheckPhase = ''
    for program in cholesky lu qr; do
      $out/bin/$program --size 256 --repeat 1 --check full
    done
  '';

  meta = {
    description = "Benchmarks for OpenMP task dependences, built for libgomp";
    homepage = "https://doi.org/10.1007/978-3-319-11454-5_2"; # of the suite in whose tradition it is
    license = pkgs.lib.licenses.bsd3;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
  };
}
