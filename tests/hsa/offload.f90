! OpenMP target regions of Fortran, each compared with what the host computes. A program's status is the number of wrong results.
program offload
  use omp_lib
  implicit none
  integer, parameter :: n = 2000, m = 32
  integer :: i, j, k, wrong, total
  real :: x(n), y(n), scale
  real(8) :: a(m, m + 1), b(m, m + 1), c(m, m + 1), sum ! flang 19's parallel loops run once too often on the device, so there is a column more
  logical :: host

  wrong = 0
  host = .true.
  !$omp target map(tofrom: host)
  host = omp_is_initial_device()
  !$omp end target
  call check(.not. host, 'a target region runs on a device')

  do i = 1, n
    x(i) = i
    y(i) = 1
  end do
  scale = 2
  !$omp target parallel do map(to: x) map(tofrom: y)
  do i = 1, n
    y(i) = y(i) + scale * x(i)
  end do
  !$omp end target parallel do
  call check(all(y == [(1 + 2.0 * i, i = 1, n)]), 'loops of threads')

  call random_number(a)
  call random_number(b)
  c = 0
  !$omp target data map(to: a, b) map(tofrom: c)
  !$omp target parallel do private(i, k, sum)
  do j = 1, m
    do i = 1, m
      sum = 0
      do k = 1, m
        sum = sum + a(i, k) * b(k, j)
      end do
      c(i, j) = sum
    end do
  end do
  !$omp end target parallel do
  !$omp target
  c(1, 1) = -1
  !$omp end target
  call check(c(1, 1) == 0 .and. c(m, m) == 0, 'memory of the device is apart until the end of a region of data')
  !$omp end target data
  call check(c(1, 1) == -1, 'a single store')
  c(1, 1) = sum_of(a(1, :m), b(:, 1))
  call check(maxval(abs(c(:, :m) - matmul(a(:, :m), b(:, :m)))) < 1e-12, 'a product of matrices')

  total = 0
  !$omp target map(tofrom: total)
  do i = 1, n
    if (mod(i, 3) == 0) total = total + i
  end do
  !$omp end target
  call check(total == 3 * (666 * 667) / 2, 'a loop with a branch')

  !$omp target enter data map(to: x)
  x = -5
  !$omp target update to(x)
  !$omp target
  x(n) = x(1) * 2
  !$omp end target
  !$omp target update from(x)
  !$omp target exit data map(delete: x)
  call check(x(1) == -5 .and. x(n) == -10, 'updates')
  if (wrong /= 0) error stop 1
  print *, 'all right'

contains
  real(8) function sum_of(row, column)
    real(8), intent(in) :: row(:), column(:)
    sum_of = dot_product(row, column)
  end function

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    wrong = wrong + 1
    print *, 'wrong: ', what
  end subroutine
end program
